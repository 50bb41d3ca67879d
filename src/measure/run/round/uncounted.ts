import { PgsweepError } from '../../../base/errors.ts';
import { countAll, sumOutcomes } from '../../../journal/outcomes.ts';
import type { UncountedRecord } from '../../../journal/uncounted-records.ts';
import type { TurnResult } from '../../load/load-generator.ts';
import { lastLines } from '../../target/last-lines.ts';
import type { LiveArm } from './round-context.ts';

type Purpose = Pick<UncountedRecord, 'round' | 'load' | 'purpose' | 'durationMs'>;

/** The record of an arm's turns that count for no slice. */
export function uncounted(arm: LiveArm['arm'], turns: readonly TurnResult[], purpose: Purpose): UncountedRecord {
  return {
    type: 'uncounted',
    ...purpose,
    arm: arm.name,
    outcomes: sumOutcomes(turns.map(({ whole }) => whole)),
    ok: turns.reduce((sum, { wholeOk }) => sum + wholeOk, 0),
  };
}

/** Throws PgsweepError `target` where an arm was warmed up and answered nothing as expected. */
export function assertAnswers({ arm, target }: LiveArm, turns: readonly TurnResult[]): void {
  const all = turns.reduce((sum, { whole }) => sum + countAll(whole), 0);
  if (all === 0 || turns.some(({ wholeOk }) => wholeOk > 0)) return;
  const { statuses, errors, timeouts } = sumOutcomes(turns.map(({ whole }) => whole));
  const counts = [
    ...Object.entries(statuses).map(([status, count]) => `${count} x ${status}`),
    ...(errors > 0 ? [`${errors} without an answer`] : []),
    ...(timeouts > 0 ? [`${timeouts} timed out`] : []),
  ];
  const first = turns.find(({ failure }) => failure !== undefined)?.failure;
  const said = first === undefined ? '' : ` The first: ${[first.status ?? '', first.text].join(' ').trim()}.`;
  throw new PgsweepError(
    'target',
    `the service of "${arm.name}" answered none of its ${all} requests of the warm-up as expected: ${counts.join(', ')}.${said} ${lastLines(target.tail())}`,
    {
      hint: 'Where such an answer is what the requests are for, name its status in expect (see load.requests).',
      variant: arm.variant.name,
    },
  );
}
