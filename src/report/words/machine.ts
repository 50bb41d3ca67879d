import { present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { plural } from '../../judge/format.ts';
import type { Disturbance } from '../../judge/read/rounds/disturbance.ts';
import type { OpenComparisons, Session } from '../../judge/verdicts/session.ts';

/** Below this, in percent, something is not worth a word. CPU steal always is: where there is none, that is said. */
const WORTH_PERCENT = 1;
/** Segments sent again that are as usual, in percent. */
const USUAL_RETRANSMITS_PERCENT = 0.1;

/** One line: how disturbed the machine was while load was on, and what the open comparisons would take. */
export function machineLine({ disturbance, open }: Pick<Session, 'disturbance' | 'open'>): string {
  const parts = [...disturbanceParts(disturbance), ...(open === null ? [] : [openWords(open)])];
  return parts.length === 0 ? '' : `${parts.join(' · ')}.`;
}

/** Disturbances of the machine, in a line; empty where nothing is known. */
export function disturbanceLine(disturbance: Disturbance): string {
  const parts = disturbanceParts(disturbance);
  return parts.length === 0 ? '' : `Machine: ${parts.join(' · ')}.`;
}

function disturbanceParts(disturbance: Disturbance): string[] {
  const { retransmitsPercent, checkpoints, autovacuums } = disturbance;
  const said = (name: string, found: Disturbance['stealPercent'], least: number) =>
    found !== null && found.most >= least && `${name} ${share(found.mean)} on average, ${share(found.most)} at most`;
  return present([
    said('cpu steal', disturbance.stealPercent, 0),
    said('CPU of other programs', disturbance.foreignCpuPercent, WORTH_PERCENT),
    said('CPU limit used up', disturbance.throttledPercent, WORTH_PERCENT),
    said('waiting for memory', disturbance.memoryPressurePercent, WORTH_PERCENT),
    said('waiting for IO', disturbance.ioPressurePercent, WORTH_PERCENT),
    retransmitsPercent !== null &&
      retransmitsPercent > USUAL_RETRANSMITS_PERCENT &&
      `${share(retransmitsPercent)} of TCP segments sent again`,
    checkpoints !== null && checkpoints > 0 && plural(checkpoints, 'checkpoint'),
    autovacuums !== null && autovacuums > 0 && plural(autovacuums, 'autovacuum'),
  ]);
}

/** True where a disturbance from outside was worth a word: a calmer machine would then have less noise. */
export function isDisturbed(disturbance: Disturbance): boolean {
  const { stealPercent, foreignCpuPercent, memoryPressurePercent, ioPressurePercent } = disturbance;
  const shares = [stealPercent, foreignCpuPercent, memoryPressurePercent, ioPressurePercent];
  return shares.some((seen) => seen !== null && seen.mean >= WORTH_PERCENT);
}

function openWords({ comparisons, beyond, moreRounds, moreMinutes }: OpenComparisons): string {
  const all = comparisons === 1 ? 'the open comparison needs' : `the ${comparisons} open comparisons need`;
  if (moreRounds === null) return `${all} more rounds than a run may have`;
  const some = comparisons - beyond;
  const who = beyond === 0 ? all : `${some} of the ${comparisons} open comparisons ${some === 1 ? 'needs' : 'need'}`;
  const rounds = plural(moreRounds, moreMinutes === null ? 'more round' : 'round');
  if (moreMinutes === null) return `${who} about ${rounds}`;
  return `${who} about ${plural(Math.max(1, Math.round(moreMinutes)), 'more minute')} (${rounds})`;
}

function share(percent: number): string {
  return formatShare(percent / 100);
}
