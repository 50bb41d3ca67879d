import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { messageOf } from './errors.ts';
import { isLoopback } from './loopback.ts';
import { maskKnown } from './secrets.ts';
import { shortened } from './visible.ts';

/** Headers of an answer may be this long together. Node's own limit is 16 KB, and the load has none. */
export const MOST_HEADER_BYTES = 4 * 1024 * 1024;

export interface Question {
  /** GET where left out. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A server elsewhere that does not show who it is. */
export class UnverifiedCertificate extends Error {}

/**
 * One HTTP request on its own connection, answered with any status. Not by fetch, which follows a redirect to
 * wherever it leads, with the headers of ours, takes no URL with a password, and no certificate of this machine's own.
 * Throws UnverifiedCertificate, the signal's reason, or an Error that says why there is no answer.
 */
export function ask(url: string, { method = 'GET', headers = {}, body, signal }: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(signal.aborted ? signal.reason : explained(error, url));
    const request = url.startsWith('https:') ? tlsRequest : plainRequest;
    const rejectUnauthorized = !isLoopback(url);
    // Without an agent, so that a service that ends need not wait for a connection that nobody uses.
    const options = { method, headers, signal, agent: false, rejectUnauthorized, maxHeaderSize: MOST_HEADER_BYTES };
    const sent = request(new URL(url), options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', fail);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

export function isOk({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 200 && status <= 299;
}

/** `answered 404`; of a redirect also where it leads. */
export function describeReply({ status, headers }: Pick<Reply, 'status' | 'headers'>): string {
  const { location } = headers;
  if (status < 300 || status > 399 || location === undefined) return `answered ${status}`;
  return `answered ${status}, a redirect to ${shortened(maskKnown(location), 100)}, which is not followed`;
}

function explained(error: Error, url: string): Error {
  const code = 'code' in error ? String(error.code) : '';
  if (/CERT|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH/.test(code)) {
    const { host } = new URL(url);
    return new UnverifiedCertificate(`the certificate of ${host} cannot be verified: ${messageOf(error)}`);
  }
  // Each address of a host has its own error.
  if (error instanceof AggregateError) return new Error(error.errors.map(messageOf).join(', '), { cause: error });
  return error;
}
