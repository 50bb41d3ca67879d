import { present } from '../../base/present.ts';
import { shellWord } from '../../base/shell-word.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { plural, rough } from '../../judge/format.ts';
import { viewOf } from '../../judge/judged-view.ts';
import { MIN_ROUNDS } from '../../judge/stats/looks.ts';
import type { Summary } from '../../judge/summary.ts';
import { CONFIRM_ROUNDS } from '../../judge/tune/follow-search.ts';
import type { SearchSummary } from '../../judge/tune/summarize-search.ts';
import type { OpenComparisons } from '../../judge/verdicts/session.ts';
import { afterLost } from './after-lost.ts';
import { longerSlice } from './capacity-words.ts';
import { askedOptions, measure, RUN, resume, serverOptions } from './commands.ts';
import { wouldFailAgain } from './early-end.ts';
import { loadsWords } from './found.ts';
import { comparedName } from './judged.ts';
import { lostVariants } from './lost.ts';
import { isDisturbed } from './machine.ts';
import { voidRemedies } from './remedies.ts';
import { isSearching, pasteLine } from './search-words.ts';
import { someNames } from './short-name.ts';
import { untried } from './untried.ts';

/** A step to take after a run. */
export interface NextStep {
  readonly text: string;
  /** The command that does it, which `commandFor` gives the run's folder. Null where there is none. */
  readonly command: string | null;
  /** Set where the text is to be pasted, and so never cut. */
  readonly isPasted?: true;
}

/**
 * Steps to take next, the most pressing first: continue for this long, look at the machine, look at what explains the
 * numbers.
 */
export function nextSteps(summary: Summary): NextStep[] {
  const { run, search } = summary;
  const paste = pasteLine(summary);
  const pasted = paste === null ? [] : [{ text: paste, command: null, isPasted: true as const }];
  const beyond = search === undefined ? untried(summary) : [];
  const commands = beyond.map((text) => ({ text, command: measure(run.scenarioFile, run.against) }));
  return [...pasted, ...afterLost(summary), ...afterRun(summary), ...commands, ...afterFindings(summary)]
    .map((step) => (search === undefined ? step : afterSearch(step, search)))
    .map((step) => (run.plannedControl === undefined ? step : underOtherControl(step, run)))
    .map((step) => asAsked(step, summary))
    .map((step) => onServers(step, summary));
}

/** A run does not store what its command asked, so a resumed one is asked again. Gates are those of the planned control. */
function asAsked(step: NextStep, { asked = {}, run }: Summary): NextStep {
  const { command } = step;
  if (command === null || !/^pgsweep (sweep|tune) --resume /.test(command) || run.plannedControl !== undefined)
    return step;
  const { all, ...others } = asked;
  const isThere = command.includes(' --settle all');
  return { ...step, command: `${command}${askedOptions({ ...others, ...(all && !isThere && { all }) })}` };
}

/** On servers and machines of the user's, a run is not resumed without them. */
function onServers({ command, ...step }: NextStep, summary: Summary): NextStep {
  const isRun = command !== null && /^pgsweep (sweep|tune) /.test(command);
  return { ...step, command: isRun ? `${command}${serverOptions(summary)}` : command };
}

/** The step after a run that searched first: rounds of the search count among those of a resumed run. */
function afterSearch({ command, ...step }: NextStep, { rounds }: SearchSummary): NextStep {
  const whole = command?.replace(/--rounds (\d+)/, (_, own) => `--rounds ${rounds + Number(own)}`);
  return { ...step, command: whole?.replace(/^pgsweep sweep /, 'pgsweep tune ') ?? null };
}

/** More rounds serve any control. A run with a budget, and a new one, answer the question of the planned control: no command for these. */
function underOtherControl(step: NextStep, { question, control }: Summary['run']): NextStep {
  const { text, command } = step;
  if (command === null || command === 'pgsweep doctor') return step;
  if (!command.includes(' --rounds '))
    return { text: `${text}. For this control, make it the control of the scenario and measure again.`, command: null };
  const all = question === 'best' && !command.includes('--settle all') ? ' --settle all' : '';
  return {
    text: `${text}; then run pgsweep report ${RUN} --control ${shellWord(control)} again`,
    command: `${command}${all}`,
  };
}

/** None where the warnings have said it. */
function afterRun(summary: Summary): NextStep[] {
  const { run, session, recommended, recommendation, gates, asked, capacity, machines, notes } = summary;
  const { variants } = viewOf(summary);
  if (wouldFailAgain(run)) return [{ text: 'Fix the cause, then start a new run', command: null }];
  if (run.failed?.code === 'interrupted' && run.rounds === 0) return [{ text: 'Resume the run', command: resume('') }];
  // A run that was killed says nothing of how it ended.
  if (!run.complete && run.rounds === 0)
    return [{ text: 'If the run was interrupted, resume it', command: resume('') }];
  if (run.rounds === 0) return [];
  if (run.quick) return session.verdict === 'unfit' ? [afterUnfit(summary)] : [];
  if (!run.complete) return [{ text: 'The run can be resumed', command: resume('') }];
  if (notes.some(({ kind }) => kind === 'shard'))
    return [{ text: 'Merge this shard with the others', command: `pgsweep merge ${RUN} ...` }];
  // Its rounds were fixed: there is nothing to continue.
  if (machines !== undefined) return [];
  if (session.verdict === 'unfit') return [afterUnfit(summary)];
  if (isSearching(summary)) {
    const text = `No setting is confirmed yet: ${moreRounds(CONFIRM_ROUNDS, run)}`;
    return [{ text, command: resume(`--rounds ${CONFIRM_ROUNDS}`) }];
  }
  if (summary.search?.confirmed?.length === 0 && recommended.variant !== null)
    return [{ text: 'It is decided which setting to take: no other is left to compare it with.', command: null }];
  if (run.rounds < MIN_ROUNDS)
    return [
      {
        text: `Verdicts start at ${MIN_ROUNDS} rounds: ${moreRounds(MIN_ROUNDS - run.rounds, run)}`,
        command: resume(`--rounds ${MIN_ROUNDS}`),
      },
    ];
  if (run.question === 'best') {
    const step = afterQuestion(summary);
    if (step !== null) return [step];
  }
  const [sizes, open] = [afterSizes(summary), session.open && afterOpen(session.open, summary)];
  // What rounds do comes first: where they settle no comparison, they may decide a gate.
  const [step] = present([
    asked?.size?.moreRounds != null && sizes,
    session.open?.moreRounds != null && open,
    afterGates(gates, summary),
    open,
    sizes,
  ]);
  if (step !== undefined) return [step];
  const waits = recommendation.flatMap(({ keep, notes }) => (keep === null ? notes : []));
  const rounds = waits.flatMap((note) => (note.kind === 'rounds-needed' && note.rounds !== null ? [note.rounds] : []));
  if (rounds.length > 0) {
    const needed = Math.max(...rounds, run.rounds + 1);
    const text = `Which setting to take is open: ${moreRounds(needed - run.rounds, run)}`;
    return [{ text, command: resume(`--rounds ${needed}`) }];
  }
  const unread = (capacity?.comparisons ?? []).filter(
    ({ deltaPercent, interval }) => deltaPercent !== null && interval === null,
  );
  if (unread.length > 0) {
    const have = unread.length === 1 ? 'has' : 'have';
    const text = `${plural(unread.length, 'comparison')} of capacities ${have} no interval yet: run ${moreRounds(2, run)}`;
    return [{ text, command: resume(`--rounds ${run.rounds + 2}`) }];
  }
  const cold = growing(notes);
  if (cold.length > 0) {
    const text = `Set a longer load.warmup and measure again: ${someNames(cold, 3)} still got faster while measured, more than ${run.control}`;
    return [{ text, command: measure(run.scenarioFile, run.against) }];
  }
  const unclear = variants.flatMap((one) => one.unclear).length;
  if (unclear > 0 && capacity === null) {
    const have = unclear === 1 ? 'has' : 'have';
    const text = `${plural(unclear, 'comparison')} of ${comparedName({ run, capacity })} ${have} no verdict, and more rounds would not bring one: the tables say why.`;
    return [{ text, command: null }];
  }
  return [{ text: `Every comparison of ${comparedName({ run, capacity })} has its verdict.`, command: null }];
}

function afterUnfit({ run, session }: Summary): NextStep {
  const command = `${measure(run.scenarioFile, run.against)}${run.quick ? ' --quick' : ''}`;
  const [reason, ...others] = session.reasons;
  // No machine is calm enough for a percentile of too few answers.
  const tooFew = reason?.kind === 'no-capacity' && others.length === 0 ? reason.tooFew : undefined;
  if (tooFew !== undefined) return { text: `Set load.slice: ${longerSlice(tooFew)} and measure again`, command };
  const [remedy] = reason?.kind === 'too-many-void' ? voidRemedies(reason) : [];
  return {
    text: remedy === undefined ? 'Fix the cause above, then measure again' : `${remedy} Then measure again`,
    command,
  };
}

/** Variants whose rate still grew over slices, and faster than the control's. */
function growing(notes: Summary['notes']): string[] {
  const trends = notes.flatMap((note) => (note.kind === 'unsteady-rates' ? note.trends : []));
  const faster = trends.flatMap(({ load, variant, percent, controlPercent = 0 }) =>
    load !== null && variant !== null && percent > Math.max(0, controlPercent) ? [variant] : [],
  );
  return [...new Set(faster)];
}

/** Null where it is decided which setting to take, and every change has its verdict besides. */
function afterQuestion(summary: Summary): NextStep | null {
  const { run, session, recommendation, asked } = summary;
  const waits = recommendation.flatMap(({ load, state, notes }) =>
    state === 'stuck' || state === 'open'
      ? notes.map((note) => ({ load, rounds: note.kind === 'rounds-needed' ? note.rounds : null }))
      : [],
  );
  const known = waits.flatMap(({ rounds }) => rounds ?? []);
  if (known.length > 0) {
    const needed = Math.max(...known, run.rounds + 1);
    const loadsOf = (isKnown: boolean) =>
      loadsWords(waits.filter(({ rounds }) => (rounds !== null) === isKnown).map(({ load }) => load));
    const where =
      known.length === waits.length ? '' : ` with ${loadsOf(true)}; no number of rounds should with ${loadsOf(false)}`;
    const text = `About ${moreRounds(needed - run.rounds, run)} should decide which setting to take${where}`;
    return { text, command: resume(`--rounds ${needed}`) };
  }
  const open = recommendation.filter(({ state }) => state === 'open');
  // What helps settings without a number stands before this.
  const lost = new Set(lostVariants(summary).map(({ variant }) => variant));
  if (open.length > 0 && !open.some(({ undecided }) => undecided.some((one) => lost.has(one)))) {
    const text = 'More rounds would not decide which setting to take; a calmer machine might';
    return { text, command: 'pgsweep doctor' };
  }
  // With --size there is more to do than to settle these.
  if (waits.length > 0 || session.open === null || session.open.moreRounds === null || asked?.size !== undefined)
    return null;
  const { text, command } = afterOpen(session.open, summary);
  return { text: `It is decided which setting to take. ${text}`, command: command && `${command} --settle all` };
}

function afterOpen(open: OpenComparisons, summary: Summary): NextStep {
  const { session } = summary;
  const all = open.comparisons === 1 ? 'the open comparison' : `the ${open.comparisons} open comparisons`;
  if (open.moreRounds === null) {
    const least = session.minimumDetectablePercent;
    const below = least === null ? '' : `, which may be less than the ${rough(least)} % that can be seen`;
    const text = `More rounds would not settle ${all}${below}`;
    return isDisturbed(session.disturbance)
      ? { text: `${text}; a calmer machine might`, command: 'pgsweep doctor' }
      : { text: `${text}; longer slices (load.slice) or a wider margin might.`, command: null };
  }
  const which = open.beyond === 0 ? all : `${open.comparisons - open.beyond} of ${all}`;
  const { more, command } = extended(open.moreRounds, open.moreMinutes, summary);
  return { text: `${more} should settle ${which}`, command };
}

/**
 * More rounds in words, and the command that makes them. Time makes none where the run had its number of rounds, or
 * where the scenario allows fewer (rounds.max). Against another control the run would stop before this answer.
 */
function extended(
  atLeast: number,
  minutes: number | null,
  { run, search }: Pick<Summary, 'run' | 'search'>,
): { readonly more: string; readonly command: string } {
  const rounds = Math.max(1, atLeast);
  const isBeyond = run.rounds + (search?.rounds ?? 0) + rounds > run.mostRounds;
  if (minutes === null || isBeyond || run.stopReason === 'rounds' || run.plannedControl !== undefined)
    return { more: moreRounds(rounds, run), command: resume(`--rounds ${run.rounds + rounds}`) };
  const whole = Math.max(1, Math.round(minutes));
  return {
    more: `About ${plural(whole, 'more minute')} (${plural(rounds, 'round')})`,
    command: resume(`--budget ${budgetMinutes(minutes)}m`),
  };
}

/** `3 more rounds (5 minutes)` */
function moreRounds(rounds: number, { roundMs }: Summary['run']): string {
  const more = plural(rounds, 'more round');
  if (roundMs === undefined) return more;
  return `${more} (${plural(Math.max(1, Math.round((rounds * roundMs) / 60_000)), 'minute')})`;
}

/** Null where the command did not ask for sizes, or each may be quoted. */
function afterSizes(summary: Summary): NextStep | null {
  const { asked: { size } = {} } = summary;
  if (size === undefined || size.changes.length === 0) return null;
  const names = size.changes.map(({ variant, load }) => `${variant} with ${loadLabel(load)}`);
  const which = `the size of ${plural(names.length, 'change')} precise enough to quote: ${someNames(names, 3)}`;
  if (size.moreRounds === null) return { text: `More rounds would not make ${which}`, command: null };
  const { more, command } = extended(size.moreRounds, size.moreMinutes, summary);
  const but = size.beyond === 0 ? '' : `; no number of rounds should for ${size.beyond} of them`;
  return { text: `${more} should make ${which}${but}`, command };
}

/** Null where no gate waits for rounds. */
function afterGates(gates: Summary['gates'], summary: Summary): NextStep | null {
  const waits = gates.flatMap(({ notes, moreMinutes }) =>
    notes.flatMap((note) =>
      note.kind === 'rounds-needed' && note.rounds !== null ? [{ rounds: note.rounds, minutes: moreMinutes }] : [],
    ),
  );
  if (waits.length === 0) return null;
  const minutes = waits.flatMap((wait) => wait.minutes ?? []);
  const { more, command } = extended(
    Math.max(...waits.map(({ rounds }) => rounds)) - summary.run.rounds,
    minutes.length === 0 ? null : Math.max(...minutes),
    summary,
  );
  return { text: `${more} should decide the open gates`, command };
}

/** Budget for this many minutes of rounds: a tenth more, and a minute to start everything. */
function budgetMinutes(minutes: number): number {
  return Math.ceil(1.1 * minutes + 1);
}

function afterFindings({ findings }: Summary): NextStep[] {
  const [first, ...others] = findings;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more finding')})`;
  return [{ text: `Read Why${more}: ${first.text}`, command: null }];
}
