import { systemClock } from '../../base/clock.ts';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { maskKnown } from '../../base/secrets.ts';
import { openJournal } from '../../journal/journal.ts';
import type { StopReason } from '../../journal/records.ts';
import { requireParts } from '../link/parts.ts';
import { createPlaces } from '../plan/places.ts';
import { planResumed } from '../plan/resumed-plan.ts';
import type { KnownCosts } from '../plan/run-plan.ts';
import type { StackChoice } from '../stack/stack.ts';
import { requireK6 } from './doctor/k6.ts';
import { lastLineUp, placesBefore, restOf, roundsToRun } from './last-records.ts';
import { openLevels } from './levels/level-source.ts';
import { withServerRoom } from './preflight/connections.ts';
import { examineBefore, preflight, warningsTo } from './preflight/preflight.ts';
import { createTurnSchedule } from './round/turn-schedule.ts';
import { runSweep, type SweepContext } from './run-sweep.ts';
import { cleanUpAfterRun } from './servers/clean-up-after.ts';
import { withServers } from './servers/session-servers.ts';
import { resumedChoice } from './servers/session-stack.ts';
import { type HeadOptions, writeHead } from './session-head.ts';
import { sessionNumbers } from './session-numbers.ts';
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
  const begun = { isInJournal: false };
  try {
    return await runRounds(asked, begun);
  } catch (error) {
    if (begun.isInJournal) writeFailure(asked.folder.journal, error);
    throw error;
  }
}

/** The reports of a run say why it ended early. Without room for the reason it is left out: the error is reported anyway. */
function writeFailure(file: string, error: unknown): void {
  const code = error instanceof PgsweepError ? error.code : 'internal';
  // The journal is damaged, or another run's by now.
  if (code === 'journal') return;
  try {
    const journal = openJournal(file);
    journal.append({ type: 'failed', at: systemClock.isoNow(), code, message: maskKnown(messageOf(error)) });
    journal.close();
  } catch {}
}

async function runRounds(asked: SessionOptions, begun: { isInJournal: boolean }): Promise<StopReason> {
  const startedAtMs = systemClock.nowMs();
  const { resume, emit, folder, seed } = asked;
  await requireK6(asked.scenario);
  const parts = await requireParts(asked.scenario, resume?.run.provenance);
  const report = warningsTo(emit);
  const stackChoice = resume ? resumedChoice(asked.stackChoice, resume.run.provenance) : asked.stackChoice;
  if (resume !== null) await cleanUpAfterRun({ ...asked, stackChoice });
  const numbers = sessionNumbers(asked.scenario, resume);
  // A resumed run has the servers, the space and the lengths that it had.
  const ownServersBefore = resume && { ownServersBefore: resume.run.provenance.ownServers ?? null };
  const examine = examineBefore(asked, report);
  const wanted = { ...asked, ...ownServersBefore, ...numbers.wanted, stackChoice, examine };
  return withServers(wanted, async (servers) => {
    const scenario = resume ? asked.scenario : await withServerRoom(asked.scenario, servers.database);
    const io = { folder: folder.path, clock: systemClock, emit, signal: servers.signal };
    const rest = resume && restOf(resume, asked.allStay);
    const planBy = rest && ((known: KnownCosts) => planResumed(scenario, known, rest));
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
    begun.isInJournal = true;
    numbers.writeTo(journal);
    const { arms, fewestTurns, lengths } = plan;
    // Divided for this session.
    if (lengths !== null && lengths !== rest?.lengths) journal.append(lengths);
    const shard = asked.shard && { ...asked.shard, rounds: scenario.rounds.max };
    emit({
      kind: 'run-started',
      folder: folder.path,
      arms: arms.length,
      cells: plan.estimate.cells,
      ...(shard && { shard }),
    });
    const reason = await runSweep({
      ...options,
      plan,
      places: createPlaces(seed, resume === null ? [] : placesBefore(resume)),
      stack: servers.stack,
      load: {
        generator: servers.generator,
        schedule: createTurnSchedule(plan.scenario, arms.length, lengths ?? { warmups: [], levels: [], fewestTurns }),
        levels: openLevels(scenario.load, resume),
        jobMs: new Map(),
        ...(asked.wholeSlicesIn && { wholeSlicesIn: asked.wholeSlicesIn }),
      },
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
