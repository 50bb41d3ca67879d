/**
 * A signal that is aborted with a TimeoutError after `limitMs`, or with the reason of any of the others as soon as that is.
 * Its timer keeps no process up. AbortSignal.any of an AbortSignal.timeout may never be aborted: Node 20 lets the garbage
 * collector have the timeout, since a signal that was made of others does not hold them (nodejs/node, issue 54614).
 */
export function timeLimit(limitMs: number, ...others: readonly (AbortSignal | undefined)[]): AbortSignal {
  const limit = new AbortController();
  const message = `no end within ${limitMs} ms`;
  setTimeout(() => limit.abort(new DOMException(message, 'TimeoutError')), limitMs).unref();
  return AbortSignal.any([limit.signal, ...others.filter((other) => other !== undefined)]);
}
