import { messageOf, PgsweepError } from '../../base/errors.ts';
import { endOf, spawnWatched, type WatchedProcess } from '../../base/process/child-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import { maskKnown } from '../../base/secrets.ts';
import { formatDuration } from '../../base/units.ts';
import type { JobSource } from '../../journal/job-spec.ts';
import { openSqlScript, type ScriptDatabase } from '../dataset/run-sql-file.ts';
import { lastLines } from '../target/last-lines.ts';
import { serviceEnv } from '../target/service-env.ts';
import { cpuMsOfTimes, withTimes } from './shell-times.ts';

/** Where a job runs, and for how long at most. */
export interface JobPlace extends ScriptDatabase {
  /** Its arm, for messages. */
  readonly name: string;
  /** Environment of a command besides DATABASE_URL and the PG* variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly reaper: Reaper;
  /** Output of a command. */
  readonly logFile: string;
  readonly signal: AbortSignal;
  /** Waited for once the job has its connection, before it starts. */
  readonly ready?: () => Promise<void>;
  /** Called when the job itself has ended. Processes that a command left behind are ended after that. */
  readonly onEnd?: () => void;
}

/** Result of one run. */
export interface JobRun {
  /** From the start of the command to its end, or from the first statement to the last answer. */
  readonly wallMs: number;
  /** CPU of a command and the processes that it waited for; null for SQL, and where it is not known. */
  readonly cpuMs: number | null;
  /** Exit code of a command; null where a signal ended it, and for SQL. */
  readonly code: number | null;
  /** Why it failed, in words; null where it did its work. */
  readonly failure: string | null;
  readonly timedOut: boolean;
}

type Outcome = Pick<JobRun, 'code' | 'cpuMs' | 'failure'>;

/** Runs a job once. A job that fails is a result. Throws PgsweepError for one that cannot start, and the signal's reason. */
export async function runJob(source: JobSource, place: JobPlace): Promise<JobRun> {
  const limit = new AbortController();
  const signal = AbortSignal.any([place.signal, limit.signal]);
  const job = source.kind === 'sql' ? await openSql(source, place) : openCommand(source, place);
  let timer: NodeJS.Timeout | undefined;
  try {
    await place.ready?.();
    timer = setTimeout(() => limit.abort(), place.limitMs);
    const startMs = performance.now();
    let wallMs: number | null = null;
    const onEnd = (): number => {
      if (wallMs !== null) return wallMs;
      wallMs = performance.now() - startMs;
      clearTimeout(timer);
      place.onEnd?.();
      return wallMs;
    };
    const outcome = { ...(await job.run(signal, onEnd)), wallMs: onEnd() };
    place.signal.throwIfAborted();
    if (!limit.signal.aborted) return { ...outcome, timedOut: false };
    const failure = `the job of "${place.name}" did not end within ${formatDuration(place.limitMs)}: load.job.timeout gives it more time`;
    return { ...outcome, failure, timedOut: true };
  } finally {
    clearTimeout(timer);
    await job.close();
  }
}

interface OpenedJob {
  /** Calls `onEnd` when the work is over, if something is to be cleaned up after it. */
  run(signal: AbortSignal, onEnd: () => void): Promise<Outcome>;
  close(): Promise<void>;
}

async function openSql({ file }: Extract<JobSource, { kind: 'sql' }>, place: JobPlace): Promise<OpenedJob> {
  const script = await openSqlScript(file, place);
  return {
    async run(signal) {
      const error = await script.run(signal);
      const hint = error?.hint === undefined ? '' : `\n${error.hint}`;
      const failure = error && `the job of "${place.name}" failed at ${error.message}${hint}`;
      return { code: null, cpuMs: null, failure };
    },
    close: script.close,
  };
}

function openCommand(source: Extract<JobSource, { kind: 'command' }>, place: JobPlace): OpenedJob {
  const { name, databaseUrl, env: own, reaper, logFile } = place;
  const { command, cwd } = source;
  const timesFile = `${logFile}.times`;
  const env = serviceEnv({ env: own, databaseUrlVariable: 'DATABASE_URL' }, { databaseUrl, search: null });
  return {
    async run(signal, onEnd) {
      let child: WatchedProcess;
      try {
        child = await spawnWatched({ command: withTimes(command, timesFile), cwd, env, reaper, logFile });
      } catch (cause) {
        throw new PgsweepError('target', `the job of "${name}" cannot be started: ${messageOf(cause)}`, { cause });
      }
      // Its last output may come later, and what it has started may take seconds to end.
      child.child.once('exit', onEnd);
      const { code, how } = await endOf(child, signal);
      await child.stop();
      const tail = code === 0 ? '' : lastLines(child.tail().map(maskKnown));
      const failure = code === 0 ? null : `the job of "${name}" (${maskKnown(command)}) ended with ${how}. ${tail}`;
      return { code, cpuMs: cpuMsOfTimes(timesFile), failure };
    },
    close: async () => {},
  };
}
