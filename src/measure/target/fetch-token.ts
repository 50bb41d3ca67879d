import { ask, describeReply, type Reply } from '../../base/ask.ts';
import { timeLimit } from '../../base/async/time-limit.ts';
import { contentTypeOf } from '../../base/content-type.ts';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { exactJson, exactJsonOf, NumberText, withNumbers } from '../../base/exact-json.ts';
import { jsonOf, parseJsonPath, valueAt } from '../../base/json-path.ts';
import { maskKnown, rememberSecret } from '../../base/secrets.ts';
import { shortened } from '../../base/visible.ts';
import type { LoginSpec } from '../../journal/request-value.ts';
import { saidBy } from './last-lines.ts';
import type { StartedTarget } from './target.ts';

const ANSWER_MS = 10_000;

/**
 * Sends an arm's login and returns the token of its answer, which is masked from here on. Throws PgsweepError `target`
 * with the status and the answer where there is none, and with the service's last lines where it failed.
 */
export async function fetchToken(
  { url, tail }: Pick<StartedTarget, 'url' | 'tail'>,
  { method, path, headers, body, from }: LoginSpec,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const fail = (what: string, cause?: unknown): PgsweepError =>
    new PgsweepError('target', `the login of "${name}" (${method} ${maskKnown(path)}) ${what}`, {
      hint: 'It is sent once to each arm as soon as the service is ready: see target.login.',
      cause,
    });
  let answer: Reply;
  try {
    answer = await ask(url + path, {
      method,
      headers: { ...contentTypeOf(body, headers), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : exactJson(withNumbers(body)) }),
      signal: timeLimit(ANSWER_MS, signal),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw fail(`was not answered: ${messageOf(cause)}${saidBy(tail())}`, cause);
  }
  const { text } = answer;
  const token = answer.status >= 400 ? null : tokenOf(answer, from);
  if (token === null) {
    const wanted = from.kind === 'json' ? `no text or number at ${from.name}` : `no cookie ${from.name}`;
    const lacking = answer.status >= 400 ? '' : `, and has ${wanted}`;
    // What an answer without the token holds may still be another one.
    throw fail(
      `was ${describeReply(answer)}${lacking}: ${shortened(maskKnown(answer.status >= 400 ? text : keysOf(text)), 300)}${answer.status >= 500 ? saidBy(tail()) : ''}`,
    );
  }
  rememberSecret(token);
  return token;
}

function tokenOf({ headers, text }: Reply, { kind, name }: LoginSpec['from']): string | null {
  if (kind === 'cookie') {
    const pairs = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '');
    return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || null;
  }
  const value = valueAtPlace(exactJsonOf(text), name);
  // It goes into a header.
  const token =
    typeof value === 'string' || typeof value === 'number' || value instanceof NumberText ? String(value) : '';
  return token === '' || /[\r\n\0]/.test(token) ? null : token;
}

/** Value at a path such as `$.data.token`, or at keys between dots: `data.token`. */
function valueAtPlace(answer: unknown, place: string): unknown {
  const path = parseJsonPath(place);
  if (path !== null) return valueAt(answer, path);
  return place
    .split('.')
    .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), answer);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Keys of an answer that lacks the token, without their values. */
function keysOf(text: string): string {
  const value = jsonOf(text);
  return isObject(value) ? `it has ${Object.keys(value).join(', ') || 'nothing'}` : 'it is no JSON object';
}
