import type { ProxyOptions } from './proxy.ts';

export type ToProxy =
  | ({ readonly kind: 'open' } & ProxyOptions)
  /** What the proxy itself takes in each direction. */
  | { readonly kind: 'own'; readonly ownMs: number };

export type FromProxy =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string };
