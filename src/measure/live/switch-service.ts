import { ask, describeReply, isOk } from '../../base/ask.ts';
import { timeLimit } from '../../base/async/time-limit.ts';
import { contentTypeOf } from '../../base/content-type.ts';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { exactJson, exactJsonOf, isSameJson, NumberText, withNumbers } from '../../base/exact-json.ts';
import { isObject } from '../../base/json-path.ts';
import type { LiveCheck, LiveSwitch } from '../../journal/live-switch.ts';
import type { PlainRequest } from '../../journal/request-value.ts';
import type { StartedTarget } from '../target/target.ts';
import { waitUntilReady } from '../target/wait-until-ready.ts';

const ANSWER_MS = 10_000;
/** How long a service may take to open its database sessions again. */
const READY_MS = 5000;

export interface ServiceToSwitch {
  readonly target: Pick<StartedTarget, 'url' | 'exited'>;
  /** The path that answers 2xx when the service is ready; null where that is not known. */
  readonly ready: string | null;
  readonly signal: AbortSignal;
}

/**
 * Switches a running service by its requests, and makes sure that it says so. Resolves once every request was answered
 * with 2xx and everything to be checked was seen. Throws PgsweepError('target') with what the service answered.
 */
export async function switchService(
  service: ServiceToSwitch,
  { reconnect, requests, checks }: LiveSwitch,
): Promise<void> {
  if (reconnect && service.ready !== null) await answersAgain(service, service.ready);
  for (const request of requests) await send(service, request);
  for (const check of checks) if (check.kind === 'request') await verify(service, check);
}

/** It hears of its closed sessions one by one, and may use one that it does not know of yet. */
async function answersAgain({ target, signal }: ServiceToSwitch, ready: string): Promise<void> {
  const outcome = await waitUntilReady({ url: target.url + ready, timeoutMs: READY_MS, exited: target.exited, signal });
  if (outcome.kind === 'ready') return;
  signal.throwIfAborted();
  const how = outcome.kind === 'exited' ? `ended (${outcome.how})` : `GET ${ready} ${outcome.last}`;
  throw new PgsweepError('target', `the service fails when its database sessions are closed: it ${how}`, {
    hint: 'A pool has to take a session that was closed out of use, and to open another. With pg, listen to the pool\'s "error" event.',
  });
}

async function send(service: ServiceToSwitch, { method, path, headers, body }: PlainRequest): Promise<string> {
  try {
    const answer = await ask(service.target.url + path, {
      method,
      headers: { ...contentTypeOf(body, headers), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : exactJson(withNumbers(body)) }),
      signal: timeLimit(ANSWER_MS, service.signal),
    });
    const { text } = answer;
    if (isOk(answer)) return text;
    throw new PgsweepError('target', `${method} ${path} was ${describeReply(answer)}: ${text.slice(0, 300)}`);
  } catch (cause) {
    service.signal.throwIfAborted();
    if (cause instanceof PgsweepError) throw cause;
    throw new PgsweepError('target', `${method} ${path} was not answered: ${messageOf(cause)}`, { cause });
  }
}

async function verify(service: ServiceToSwitch, check: Extract<LiveCheck, { kind: 'request' }>): Promise<void> {
  const text = await send(service, { method: 'GET', path: check.path, headers: {} });
  const expect = withNumbers(check.expect);
  const found = exactJsonOf(text);
  if (holds(found === undefined ? text : found, expect)) return;
  const expected = exactJson(expect);
  throw new PgsweepError('target', `GET ${check.path} answered ${text.slice(0, 300)}: expected it to hold ${expected}`);
}

/** True if everything expected is there; an object may hold more. */
function holds(found: unknown, expected: unknown): boolean {
  if (!isObject(expected) || expected instanceof NumberText) return isSameJson(found, expected);
  return isObject(found) && Object.entries(expected).every(([key, value]) => holds(found[key], value));
}
