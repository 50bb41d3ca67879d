import { systemClock } from '../../base/clock.ts';
import { leftLedgers } from '../../base/process/ledger.ts';
import { cleanUpAfter } from '../../base/process/reaper.ts';
import { type Journal, type JournalWriter, openJournal } from '../../journal/journal.ts';
import { nothingLeft } from '../../journal/left-records.ts';
import type { StopReason } from '../../journal/records.ts';
import { type Finding, isWarned } from '../finding.ts';
import { requireParts } from '../link/parts.ts';
import { firstUnique, setAside } from '../load/unique-numbers.ts';
import { createPlaces } from '../plan/places.ts';
import { type KnownCosts, planRest, type RunPlan } from '../plan/run-plan.ts';
import { scenarioWarnings } from '../plan/scenario-warnings.ts';
import { loginForLeft } from '../stack/external/postgres.ts';
import type { Stack, StackChoice } from '../stack/stack.ts';
import { requireK6 } from './doctor/k6.ts';
import type { EmitEvent } from './events.ts';
import { lastLengths, lastLineUp, placesBefore, roundsToRun } from './last-records.ts';
import { openLevels } from './levels/level-source.ts';
import { withServerRoom } from './preflight/connections.ts';
import { examineShortly, preflight } from './preflight/preflight.ts';
import type { RoundLoad } from './round/round-context.ts';
import { createTurnSchedule } from './round/turn-schedule.ts';
import { runSweep, type SweepContext } from './run-sweep.ts';
import { type ServersOptions, type SessionServers, withServers } from './servers/session-servers.ts';
import { resumedChoice } from './servers/session-stack.ts';
import { type HeadOptions, writeHead } from './session-head.ts';
import { openWatch, type WatchOptions, whyUncounted } from './session-watch.ts';

export interface SessionOptions extends HeadOptions, WatchOptions {
  readonly stackChoice: StackChoice;
  readonly decideStop: SweepContext['decideStop'];
  /** Set where no arm leaves, and those that left before are measured again. */
  readonly allStay?: boolean;
  /** Rounds whose arms have whole slices, to compare them with turns; absent where none. */
  readonly wholeSlicesIn?: (round: number) => boolean;
  /** Aborted by Ctrl-C, with the reason to end with. */
  readonly signal: AbortSignal;
}

/**
 * One sitting of a run: boots the stack, loads the data set once into a template, writes the journal's head, runs the
 * rounds, and takes everything down again. Throws PgsweepError; whatever was finished is in the journal.
 */
export async function runSession(asked: SessionOptions): Promise<StopReason> {
  const startedAtMs = systemClock.nowMs();
  const { resume, emit, folder, seed } = asked;
  await requireK6(asked.scenario);
  const parts = await requireParts(asked.scenario, resume?.run.provenance);
  const report = warningsTo(emit);
  const stackChoice = resume ? resumedChoice(asked.stackChoice, resume.run.provenance) : asked.stackChoice;
  if (resume !== null) await cleanUpAfterRun({ ...asked, stackChoice });
  const unique = uniqueNumbers(asked);
  const wanted = { ...serversAsBefore(asked), ...unique.wanted, stackChoice, examine: examineFor(asked, report) };
  return withServers(wanted, async (servers) => {
    // A resumed run has the space and the lengths that it had.
    const scenario = resume ? asked.scenario : await withServerRoom(asked.scenario, servers.database);
    const io = { folder: folder.path, clock: systemClock, emit, signal: servers.signal };
    const planBy = resume && ((known: KnownCosts) => planRest(scenario, known, restOf(asked, resume)));
    const looked = { ...servers, scenario, seed, io, quick: asked.quick, report, ...(planBy && { planBy }) };
    const plan = await preflight(looked);
    const options = { ...asked, scenario: plan.scenario };
    if (plan.short !== null) emit({ kind: 'warning', warning: { kind: 'short-rounds', ...plan.short } });
    const journal = openJournal(folder.journal);
    servers.cleanup.add(() => journal.close());
    const setUpMs = systemClock.nowMs() - startedAtMs;
    await writeHead(journal, options, {
      servers,
      parts,
      withoutCounters: whyUncounted(scenario, servers),
      setUpMs,
      plan,
    });
    unique.writeTo(journal);
    announceStart(options, plan);
    const reason = await runSweep({
      ...options,
      plan,
      places: createPlaces(seed, resume === null ? [] : placesBefore(resume)),
      stack: servers.stack,
      load: loadOf(options, servers, plan),
      watch: await openWatch(options, servers, journal),
      io: { ...io, journal },
      ...roundsToRun(resume, options.shard),
      ...(resume && { lineUpBefore: lastLineUp(resume) }),
      startedAtMs,
    });
    journal.append({ type: 'end', at: systemClock.isoNow(), reason });
    emit({ kind: 'run-ended', reason });
    return reason;
  });
}

/** Ends and removes what the sitting before left, where it and its guard were killed. */
async function cleanUpAfterRun({ folder, stackChoice, emit }: SessionOptions): Promise<void> {
  for (const left of leftLedgers(folder.path)) {
    for (const found of await cleanUpAfter(left, loginForLeft(stackChoice.postgresUrl)))
      emit({ kind: 'preparing', message: `of the run before: ${found}` });
  }
}

/** A run begins in spite of what may only make its numbers noisier. What is found twice is said once. */
function warningsTo(emit: EmitEvent): (finding: Finding) => void {
  const reported = new Set<string>();
  return (finding) => {
    if (!isWarned(finding) || reported.has(finding.found)) return;
    reported.add(finding.found);
    emit({ kind: 'warning', warning: { kind: 'examined', finding } });
  };
}

/** Looks at scenario and machine after the line that says which stack it is, which is the first. */
function examineFor({ scenario, emit, signal }: SessionOptions, report: (finding: Finding) => void) {
  return async (stack: Pick<Stack, 'kind'>): Promise<void> => {
    for (const warning of scenarioWarnings(scenario)) emit({ kind: 'warning', warning });
    for (const finding of await examineShortly(scenario, stack, signal)) report(finding);
  };
}

/** Options of servers that a resumed run must have as its first session had them. */
function serversAsBefore(options: SessionOptions): ServersOptions {
  if (options.resume === null) return options;
  const { provenance } = options.resume.run;
  return { ...options, ownServersBefore: provenance.ownServers ?? null };
}

interface UniqueNumbers {
  /** The scenario with the first number of this session, and a listener for those that the generator sets aside. */
  readonly wanted: Pick<ServersOptions, 'scenario' | 'onSetAside'>;
  /** Writes down which numbers are set aside, from now on. */
  writeTo(journal: JournalWriter): void;
}

/** Numbers of `${unique}`, of which a resumed run repeats none. */
function uniqueNumbers({ scenario, resume }: SessionOptions): UniqueNumbers {
  const uniqueFrom = firstUnique(scenario, resume);
  let journal: JournalWriter | null = null;
  return {
    wanted: {
      scenario: { ...scenario, load: { ...scenario.load, uniqueFrom } },
      onSetAside(below) {
        try {
          journal?.append({ type: 'unique', below });
        } catch {
          // The next record of the round reports a full disk. A number repeats only if the run is resumed from here.
        }
      },
    },
    writeTo(opened) {
      opened.append({ type: 'unique', below: setAside(uniqueFrom) });
      journal = opened;
    },
  };
}

function announceStart({ scenario, folder, shard, emit }: SessionOptions, { arms, estimate }: RunPlan): void {
  emit({
    kind: 'run-started',
    folder: folder.path,
    arms: arms.length,
    cells: estimate.cells,
    ...(shard && { shard: { ...shard, rounds: scenario.rounds.max } }),
  });
}

/** The part of a resumed run that its next rounds do without, and the fewest turns of a slice that it was planned with. */
function restOf({ allStay = false }: SessionOptions, resume: Journal) {
  const { fewestTurns } = lastLengths(resume) ?? {};
  return { left: allStay ? nothingLeft : lastLineUp(resume).left, ...(fewestTurns !== undefined && { fewestTurns }) };
}

function loadOf(
  { scenario, resume, wholeSlicesIn }: SessionOptions,
  { generator }: SessionServers,
  { arms, fewestTurns }: RunPlan,
): RoundLoad {
  const lengths = resume === null ? { warmups: [], levels: [], fewestTurns } : lastLengths(resume);
  return {
    generator,
    schedule: createTurnSchedule(scenario, arms.length, lengths),
    levels: openLevels(scenario.load, resume),
    jobMs: new Map(),
    ...(wholeSlicesIn && { wholeSlicesIn }),
  };
}
