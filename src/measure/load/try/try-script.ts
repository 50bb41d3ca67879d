import { expectsStatus } from '../request-source.ts';
import type { Script } from '../script/session.ts';
import { MOST_BODY_BYTES } from '../script/user-load.ts';
import { exchange, redirectOf } from './exchange.ts';
import type { TriedRequest } from './tried-request.ts';

/** As much of an answer is told. */
const MOST_TEXT = 2000;
/** Steps that come by chance are waited for, in so many requests. */
const MOST_SENT = 200;

/**
 * Goes through a script as one user without pauses, until each step was sent once. A step that fails is the last, since those
 * that follow may need what it captures. `over` begins the time of a request.
 */
export async function tryScript(script: Script, url: string, over: () => AbortSignal): Promise<TriedRequest[]> {
  const session = script.openSession(0);
  const tried = new Map<number, TriedRequest>();
  for (let sent = 0; sent < MOST_SENT && tried.size < script.names.length; sent++) {
    const request = session.next();
    const { method, path, name } = request;
    const expected = script.expected[name] ?? null;
    const came = await exchange(request, url, MOST_BODY_BYTES, over());
    const step = { name: script.names[name] ?? path, method, path, expected, sent: 1 };
    if (came.kind !== 'answer') return [...tried.values(), { ...step, outcome: came }];
    const { status, body } = came;
    const isExpected = expectsStatus(expected, status);
    const wrong = isExpected ? (script.checks?.[name]?.(body) ?? null) : null;
    const captured = session.answered(came, isExpected && wrong === null);
    const lacks = wrong ?? captured;
    const ok = isExpected && lacks === null;
    const told = { kind: 'answer', ok, status, body: body.slice(0, MOST_TEXT), ...redirectOf(came) } as const;
    const outcome = { ...told, ...(lacks !== null && { lacks }) };
    if (!tried.has(name) || !ok) tried.set(name, { ...step, tookMs: came.tookMs, outcome });
    if (!ok) break;
  }
  return [...tried.values()];
}
