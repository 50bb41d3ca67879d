import { present } from '../../base/present.ts';
import { underLoad } from '../../journal/load-level.ts';
import { BRANCH } from '../../journal/run/against-record.ts';
import { cutTo, exact, formatChange, formatDelta } from '../../judge/format.ts';
import { differs, marginIn, viewOf } from '../../judge/judged-view.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { placesWords } from './found.ts';
import { judgedName } from './judged.ts';
import { listed } from './listed.ts';

/** Short names of the metrics that an answer is about, beside the judged one. */
const beside: Readonly<Record<string, string>> = {
  latency_p95_ms: 'p95',
  service_cpu_ms_per_request: 'CPU',
  postgres_cpu_ms_per_request: 'CPU',
  statements_per_request: 'statements a request',
};
/** Statements that are new, by their names. */
const MOST_NEW = 2;
const MOST_TEXT = 80;
/** A statement of fewer requests than this share is not named. */
const LEAST_SHARE = 0.01;
/** A smaller change of the count, of the same statements, may be requests that were under way at the edge of a short slice. */
const LEAST_CHANGE = 0.05;

/**
 * `Your branch is slower than main: 2xx/s -7.1 % [-9.0, -5.2] at 25 connections.` Null where no branch is compared. Its run has
 * verdicts.
 */
export function branchAnswer(summary: Summary): string | null {
  const { run, comparisons } = summary;
  const { metric, variants, levels } = viewOf(summary);
  const own = variants.find(({ variant }) => variant === BRANCH);
  if (own === undefined || run.against === undefined) return null;
  const { differing, same, unclear } = own;
  const name = judgedName(run);
  const [is, bad, good] = metric.group === 'work' ? ['takes ', 'more', 'less'] : ['is ', 'slower', 'faster'];
  const loadOf = ({ load }: Comparison): Comparison['load'] => load;
  const placed = (some: readonly Comparison[]): string => placesWords(some.map(loadOf), run.loads);
  const sizes = (some: readonly Comparison[]): string[] => some.map((one) => `${sizeOf(one)} ${placed([one])}`);
  const none = `no difference of ${run.marginPercent} % or more`;
  const failed = levels.some(({ fails }) => fails(BRANCH)) ? ' More of its requests failed.' : '';
  if (differing.length > 0) {
    const worse = differing.filter(({ verdict }) => verdict !== metric.better).length;
    const word = worse === 0 ? good : worse === differing.length ? bad : `${bad} here and ${good} there`;
    const rest = [same.length > 0 && `${none} ${placed(same)}`, unclear.length > 0 && `not known ${placed(unclear)}`];
    const all = present([...sizes(differing), ...rest]).join(', ');
    return `Your branch ${is}${word} than ${run.control}: ${name} ${all}.${failed}`;
  }
  const others = comparisons.filter((one) => one.variant === BRANCH && one.metric in beside);
  const but = others.filter(differs).map((one) => `, but ${beside[one.metric]} ${sizeOf(one)} ${placed([one])}`);
  if (unclear.length > 0) {
    const rest = same.length === 0 ? '' : `; ${none} ${placed(same)}`;
    return `Not known whether your branch ${is}${bad} than ${run.control}: ${name} ${sizes(unclear).join(', ')}${rest}${but.join('')}.${failed}`;
  }
  // What is the same within more than that is no part of the sentence.
  const asClose = others.filter(({ metric: of }) => marginIn(run, of) <= run.marginPercent);
  const names = [...new Set(asClose.flatMap((one) => beside[one.metric] ?? []))].filter((short) =>
    others.every((one) => beside[one.metric] !== short || one.verdict === 'same'),
  );
  return `No difference of ${run.marginPercent} % or more from ${run.control} (${listed([name, ...names])})${but.join('')}.${failed}`;
}

/** `-7.1 % [-9.0, -5.2]` */
function sizeOf({ deltaPercent, interval }: Comparison): string {
  if (deltaPercent === null) return 'only one side has any';
  return interval === null ? `${formatDelta(deltaPercent)} without an interval` : formatChange(deltaPercent, interval);
}

/**
 * `Statements a request 3.00 -> 4.00, new: SELECT ... FROM authors WHERE id = $1`: the change in a branch's statements under the first
 * load level that shows one. One round is enough. Null where nothing changed.
 */
export function branchWork(summary: Summary): string | null {
  const { run, comparisons, statements } = summary;
  if (run.against === undefined) return null;
  for (const load of run.loads) {
    const counted = underLoad(comparisons, load).find(
      (one) => one.variant === BRANCH && one.metric === 'statements_per_request',
    );
    const { control = null, value = null } = counted ?? {};
    if (control === null || value === null) continue;
    const here = underLoad(statements, load);
    const before = new Set(here.flatMap((one) => (one.variant === run.control ? [one.statement] : [])));
    const fresh = here
      .filter((one) => one.variant === BRANCH && one.callsPerRequest >= LEAST_SHARE && !before.has(one.statement))
      // Without a change there is none of it in the control.
      .flatMap((one) => (one.deltaPercent === null ? [cutTo(MOST_TEXT, one.statement)] : []));
    if (Math.abs(value - control) < LEAST_CHANGE * Math.max(control, value) && fresh.length === 0) continue;
    const more = fresh.length > MOST_NEW ? ` and ${fresh.length - MOST_NEW} more` : '';
    const named = fresh.length === 0 ? '' : `, new: ${fresh.slice(0, MOST_NEW).join('; ')}${more}`;
    return `Statements a request ${exact(control)} -> ${exact(value)}${named}`;
  }
  return null;
}
