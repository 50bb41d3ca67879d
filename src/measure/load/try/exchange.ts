import { request as httpRequest } from 'node:http';
import { MOST_HEADER_BYTES } from '../../../base/ask.ts';
import { messageOf } from '../../../base/errors.ts';
import { basePath } from '../base-path.ts';
import { decodedBody } from '../decoded-body.ts';
import type { GeneratedRequest } from '../requests/generated-request.ts';

/** Outcome of one request that is not measured. */
type Exchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The beginning of it. */
      readonly body: string;
      /** Names in lower case, in their order. */
      readonly headers: readonly (readonly [name: string, value: string])[];
      /** From sending to the end of the answer. */
      readonly tookMs: number;
    }
  /** The connection failed. */
  | { readonly kind: 'error'; readonly message: string }
  /** No answer came before the signal was aborted. */
  | { readonly kind: 'silence' };

/** Sends a request over its own connection, and keeps this many bytes of the answer's body. */
export function exchange(
  { method, path, headers, body }: GeneratedRequest,
  url: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const start = performance.now();
    const fail = (error: unknown): void =>
      resolve(signal.aborted ? { kind: 'silence' } : { kind: 'error', message: messageOf(error) });
    try {
      const { hostname, port, pathname } = new URL(url);
      const place = { hostname, port, path: basePath({ pathname }) + path };
      const sent = httpRequest(
        { ...place, method, headers, agent: false, signal, maxHeaderSize: MOST_HEADER_BYTES },
        (answer) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          answer.on('data', (chunk: Buffer) => {
            if (bytes < mostBytes) chunks.push(chunk);
            bytes += chunk.length;
          });
          answer.on('error', fail);
          answer.on('end', () => {
            const pairs = pairsOf(answer.rawHeaders);
            resolve({
              kind: 'answer',
              status: answer.statusCode ?? 0,
              body: decodedBody(Buffer.concat(chunks).subarray(0, mostBytes), pairs),
              headers: pairs,
              tookMs: performance.now() - start,
            });
          });
        },
      );
      sent.on('error', fail);
      sent.end(body);
    } catch (error) {
      // A path or a header that no HTTP client sends.
      fail(error);
    }
  });
}

/** Node has names and values in one list. */
function pairsOf(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ''] as const] : []));
}

/** Where a redirect leads; nothing of any other answer. */
export function redirectOf({ status, headers }: Pick<Extract<Exchange, { kind: 'answer' }>, 'status' | 'headers'>): {
  readonly location?: string;
} {
  const location = headers.find(([name]) => name === 'location')?.[1];
  return status < 300 || status > 399 || location === undefined ? {} : { location };
}
