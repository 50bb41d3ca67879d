import type { ProxyOptions } from './proxy.ts';

/** Options of the proxy to open. */
export type ToProxy = ProxyOptions;

export type FromProxy =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string };
