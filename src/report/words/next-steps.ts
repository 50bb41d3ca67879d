import { cutTo, plural, rough } from '../../analysis/format.ts';
import type { OpenComparisons } from '../../analysis/judge/session.ts';
import type { Summary } from '../../analysis/summary.ts';
import { MIN_ROUNDS } from '../../stats/looks.ts';
import { judgedName } from './judged.ts';

/** What to do after a run. */
export interface NextStep {
  readonly text: string;
  /** The command that does it; `RUN` in it stands for the run's folder. Null where there is none. */
  readonly command: string | null;
}

/** Stands for the run's folder in commands: a summary does not know where it lies. */
export const RUN = 'RUN';
/** A finding is cut here: it names variants. */
const MOST_CHARACTERS = 140;

/** What to do next, the most pressing first: go on for so long, look at the machine, look at what explains the numbers. */
export function nextSteps(summary: Summary): NextStep[] {
  return [...afterRun(summary), ...afterFindings(summary)];
}

/** None where the warnings have said it. */
function afterRun({ run, session, recommendation, gates, capacity, machines, notes }: Summary): NextStep[] {
  if (run.quick || run.rounds === 0) return [];
  if (!run.complete) return [{ text: 'The run can go on', command: resume('') }];
  if (notes.some(({ kind }) => kind === 'shard'))
    return [{ text: 'Its share is judged with the others', command: `pgsweep merge ${RUN} ...` }];
  // Its rounds were fixed: nothing goes on.
  if (machines !== undefined) return [];
  if (session.verdict === 'unfit')
    return [{ text: 'Measure again when the reason above is out of the way', command: 'pgsweep doctor' }];
  if (run.rounds < MIN_ROUNDS)
    return [{ text: `Verdicts start at ${MIN_ROUNDS} rounds`, command: resume(`--rounds ${MIN_ROUNDS}`) }];
  if (session.open !== null) return [afterOpen(session.open, { run, session })];
  const gateMinutes = gates.flatMap(({ moreMinutes }) => moreMinutes ?? []);
  if (gateMinutes.length > 0) return [afterGates(Math.max(...gateMinutes))];
  const waits = recommendation.flatMap(({ keep, notes }) => (keep === null ? notes : []));
  const rounds = waits.flatMap((note) => (note.kind === 'rounds-needed' && note.rounds !== null ? [note.rounds] : []));
  if (rounds.length > 0) {
    return [
      { text: 'Which setting to take is open', command: resume(`--rounds ${Math.max(...rounds, run.rounds + 1)}`) },
    ];
  }
  const unread = (capacity?.comparisons ?? []).filter(
    ({ deltaPercent, interval }) => deltaPercent !== null && interval === null,
  );
  if (unread.length > 0) {
    const have = unread.length === 1 ? 'has' : 'have';
    const text = `${plural(unread.length, 'comparison')} of capacities ${have} no interval yet: go on for two more rounds`;
    return [{ text, command: resume(`--rounds ${run.rounds + 2}`) }];
  }
  const all = capacity === null ? judgedName(run) : 'capacities';
  return [{ text: `Every comparison of ${all} has its verdict.`, command: null }];
}

function afterOpen(open: OpenComparisons, { run, session }: Pick<Summary, 'run' | 'session'>): NextStep {
  const which = open.comparisons === 1 ? 'the open comparison' : `the ${open.comparisons} open comparisons`;
  if (open.moreRounds === null) {
    const least = session.minimumDetectablePercent;
    const below = least === null ? '' : `, which may be less than the ${rough(least)} % that can be seen`;
    const all = open.comparisons === 1 ? which : `all ${open.comparisons} open comparisons`;
    return { text: `More rounds would not settle ${all}${below}; a calmer machine might`, command: 'pgsweep doctor' };
  }
  const rounds = Math.max(1, open.moreRounds);
  // A run of as many rounds as were asked for has no budget to be made longer.
  if (run.stopReason === 'rounds' || open.moreMinutes === null)
    return {
      text: `${plural(rounds, 'more round')} should settle ${which}`,
      command: resume(`--rounds ${run.rounds + rounds}`),
    };
  const minutes = Math.max(1, Math.round(open.moreMinutes));
  return {
    text: `About ${plural(minutes, 'more minute')} (${plural(rounds, 'round')}) should settle ${which}`,
    command: resume(`--budget ${budgetMinutes(open.moreMinutes)}m`),
  };
}

/** Gates are no part of a run: whoever goes on with it gives them again. */
function afterGates(moreMinutes: number): NextStep {
  const minutes = plural(Math.max(1, Math.round(moreMinutes)), 'more minute');
  const command = resume(`--budget ${budgetMinutes(moreMinutes)}m`);
  return { text: `About ${minutes} should decide the open gates; give them again`, command };
}

/** A tenth more than the rounds take, and a minute in which everything is started. */
function budgetMinutes(minutes: number): number {
  return Math.ceil(1.1 * minutes + 1);
}

function resume(flags: string): string {
  return `pgsweep sweep --resume ${RUN} ${flags}`.trim();
}

function afterFindings({ findings }: Summary): NextStep[] {
  const [first, ...others] = findings;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more finding')})`;
  return [{ text: `Read Why${more}: ${cutTo(MOST_CHARACTERS, first.text)}`, command: null }];
}
