import { basename } from 'node:path';
import { isMap, isSeq, type Node } from 'yaml';
import { formatDuration } from '../../base/units.ts';
import { shortened } from '../../base/visible.ts';
import { scenarioDocument, textOf } from '../write-scenario.ts';
import type { LeftOut } from './found.ts';
import type { Mix } from './mix.ts';
import type { MixedRequest } from './mixed-request.ts';

/** Limit of lines about requests that were left out. */
const MOST_LINES = 100;
const MOST_CHARACTERS = 160;

/** Text of a scenario in which k6 runs a script; the scenario file finds it at `script`. */
export function writtenK6(script: string): string {
  const name = shortened(basename(script), 60);
  return [
    commented([
      `A pgsweep scenario: k6 runs ${name} against each variant. k6 has to be on PATH: pgsweep doctor says if it is.`,
      'Set target, dataset and sweep, have the script send to __ENV.BASE_URL, and check it: pgsweep plan --check',
    ]),
    textOf(scenarioDocument({ title: `Which pool size suits the load of ${name}?` })),
    TARGET,
    textOf(scenarioDocument({ load: { k6: script, users: [5, 25], slice: '10s' } })),
    '# In place of users, rate: [50, 100] begins that many iterations a second.\n',
  ].join('');
}

/** Text of a scenario with the requests of a mix; `source` is the file that they were found in. */
export function writtenMix(mix: Mix, source: string): string {
  const title = `Which pool size suits the requests of ${shortened(basename(source), 60)}?`;
  const { load: content, at } = loadOf(mix);
  const load = scenarioDocument({ load: content });
  const requests = load.getIn(['load', ...at]);
  if (isSeq(requests)) {
    for (const [index, item] of requests.items.entries()) {
      const of = mix.requests[index];
      if (isMap(item) && of !== undefined) comment(item, requestComment(of, mix));
    }
  }
  const parts = [
    commented(headOf(mix, source)),
    textOf(scenarioDocument({ title })),
    TARGET,
    textOf(load),
    commented(tailOf(mix)),
  ];
  return parts.join('');
}

/** Load of a scenario, and the place of its requests in it. */
interface WrittenLoad {
  readonly load: Readonly<Record<string, unknown>>;
  readonly at: readonly (string | number)[];
}

/**
 * Load of the mix. If the source has pauses of people, users go through a script: a session in its order, other requests
 * drawn by weight. Each request has its own mean pause after it, so a user is as busy as the one that was seen.
 */
function loadOf({ kind, requests }: Mix): WrittenLoad {
  const hasPauses = requests.some(({ pauseMs }) => pauseMs !== null);
  if (!hasPauses && kind !== 'session')
    return { load: { connections: [1, 25], requests: requests.map(({ request }) => request) }, at: ['requests'] };
  const steps = requests.map(({ request, pauseMs }) => {
    if (pauseMs === null) return request;
    return { ...request, think: { exponential: durationText(pauseMs) } };
  });
  if (kind === 'session') {
    const level = hasPauses ? { users: [5, 25] } : { connections: [1, 25] };
    return { load: { ...level, sessions: 'new', script: steps }, at: ['script'] };
  }
  return { load: { users: [5, 25], script: [{ choose: steps }] }, at: ['script', 0, 'choose'] };
}

/** Duration in the scenario's notation: `850ms`, `2.3s`. */
function durationText(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))}ms` : `${Number((ms / 1000).toFixed(1))}s`;
}

/** The line of a new scenario that stands for its data. */
export const DATASET_LINE = '# dataset: { sql: [schema.sql, data.sql] } # or what pg_dump wrote';

const TARGET = `
# Your service is started once per variant and round, on a free port and a fresh copy of the database, and ends on SIGTERM.
target:
  command: node server.js # gets PORT and DATABASE_URL, and the variant's environment
  ready: /health # the path that answers 2xx once it is ready

# What is in the database before load starts: what the requests ask for has to be there. Every arm gets a copy.
${DATASET_LINE}

sweep:
  pool: { env: POOL_MAX, levels: [10, 20, 40] }
control: { pool: 10 }

`;

function comment(node: Node, lines: readonly string[]): void {
  if (lines.length > 0) node.commentBefore = lines.map((line) => ` ${shortened(line, MOST_CHARACTERS)}`).join('\n');
}

function commented(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '#\n' : `# ${shortened(line, MOST_CHARACTERS)}\n`)).join('');
}

function headOf(mix: Mix, source: string): string[] {
  const { requests, total, lengthMs, kind, secrets } = mix;
  const from = shortened(basename(source), 60);
  const when = lengthMs === null ? '' : ` in ${formatDuration(Math.max(1000, Math.round(lengthMs / 1000) * 1000))}`;
  const what =
    kind === 'session'
      ? `${numbered(requests.length, 'step')} in place of the ${numbered(total, 'request')} of ${from}${when}, in their order`
      : kind === 'seen'
        ? `${numbered(requests.length, 'request')} in place of the ${total.toLocaleString('en-US')} of ${from}${when}; weights say how often`
        : `${numbered(requests.length, 'request')} of ${from}, each as often as the others: set weights to your mix`;
  const variables = variablesOf(mix);
  return [
    `A pgsweep scenario: ${what}.`,
    'Set target, dataset and sweep, look the requests through, and check it: pgsweep plan --check',
    'Names and texts that users typed may still be personal: check them before you share this file.',
    ...(variables.length === 0
      ? []
      : ['', 'Secrets are not in it. These variables stand for them; set them before a sweep:']),
    ...variables.map((name) => `  ${name}${severalOf(secrets.get(name) ?? 1)}`),
  ];
}

function severalOf(count: number): string {
  return count > 1 ? ` (in place of ${count} different ones)` : '';
}

/** Names of the variables that a scenario from this mix needs. */
export function variablesOf({ requests }: Mix): string[] {
  const all = JSON.stringify(requests.map(({ request }) => request)).matchAll(/(?<!\$)\$\{env (\w+)(?: encoded)?\}/g);
  return [...new Set([...all].map(([, name = '']) => name))].sort();
}

function requestComment({ count, statuses, shortened: fewer }: MixedRequest, { kind, total }: Mix): string[] {
  const share = ((100 * count) / Math.max(1, total)).toPrecision(2);
  const answered = statuses.length === 0 ? '' : `; answered with ${statuses.join(', ')}`;
  return [
    ...(kind === 'seen' ? [`${numbered(count, 'request')} (${Number(share)} %)${answered}`] : []),
    ...(kind === 'session' && statuses.length > 0 ? [answered.replace(/^; /, '')] : []),
    ...fewer.map(({ place, kept, seen }) => `${place}: the ${kept} most frequent of ${seen.toLocaleString('en-US')}`),
  ];
}

function tailOf({ pausesMs, leftOut, requests }: Mix): string[] {
  const lines = leftOutLines(leftOut);
  const more = lines.length - MOST_LINES;
  return [
    ...(pausesMs.length === 0 ? [] : ['', pauseWords(thinkTimes(pausesMs), requests)]),
    ...(lines.length === 0 ? [] : ['', 'Not in this scenario:']),
    ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function pauseWords(found: string, requests: Mix['requests']): string {
  if (requests.some(({ pauseMs }) => pauseMs !== null))
    return `Found: ${found}. Each request has the mean of those after it; with connections instead of users there are no pauses.`;
  return `Found and not used: ${found}. Each connection sends its next request at once.`;
}

/** `12 pauses, median 2.3s` */
function thinkTimes(pausesMs: readonly number[]): string {
  const sorted = pausesMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return `think time, ${numbered(sorted.length, 'pause')}, median ${formatDuration(Math.round(median / 100) * 100)}`;
}

/** Lines about requests left out: one for each reason, the most frequent first. */
export function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  const alike = new Map<string, { readonly first: LeftOut; count: number }>();
  for (const one of leftOut) {
    const key = JSON.stringify([one.what, one.why]);
    const found = alike.get(key) ?? { first: one, count: 0 };
    found.count++;
    alike.set(key, found);
  }
  return [...alike.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ first: { what, why, place }, count }) => {
      const where = place === undefined ? '' : count === 1 ? ` (${place})` : ` (first: ${place})`;
      return `${count > 1 ? `${count.toLocaleString('en-US')} x ` : ''}${shortened(what, 60)}${where}: ${why}`;
    });
}

function numbered(count: number, word: string): string {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
}
