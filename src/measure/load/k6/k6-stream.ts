import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { PgsweepError } from '../../../base/errors.ts';
import type { K6Workload } from '../../../journal/script-spec.ts';
import { createGeneratorUse } from '../generator-use.ts';
import type {
  FailedRequest,
  LoadJob,
  LoadOptions,
  LoadResult,
  LoadStream,
  Turn,
  TurnResult,
} from '../load-generator.ts';
import { reportRate } from '../report-rate.ts';
import { createTally, type Tally } from '../tally.ts';
import { createIterations, type Iterations } from './iterations.ts';
import { createK6Counts, type K6Counts } from './k6-counts.ts';
import { crossedThresholds, type K6Event, type K6Request, readK6Line } from './k6-lines.ts';
import { type InspectedScript, type RunningK6, runModule, scriptError } from './k6-program.ts';
import { createRequestNames, type RequestNames } from './request-names.ts';
import { type K6Load, scriptModule } from './script-module.ts';

/** Exit codes of k6's: as wanted, and with a threshold that was crossed. */
const ENDED_WELL = new Set<number | null>([0, 99]);
/** Those that the script is to blame for: its setup() failed or took too long, it threw, it ended itself. */
const SCRIPT_FAILED = new Set<number | null>([100, 101, 104, 107, 108, 110]);

/** A script, and what was found out about it before. */
export interface K6Script extends InspectedScript {
  readonly workload: K6Workload;
}

/** Load by the user's own k6 script: its own k6 for every turn, whose results are read while it runs. */
export function openK6Stream(job: LoadJob, script: K6Script): LoadStream {
  return new K6Stream(job, script);
}

class K6Stream implements LoadStream {
  private readonly job: LoadJob;
  private readonly script: K6Script;
  private readonly names: RequestNames;
  private readonly tally: Tally;
  private readonly counts: K6Counts;
  private readonly use = createGeneratorUse();
  private startedAt: Date | null = null;
  private loadMs = 0;
  /** The time of the users' iterations that count; 0 at a rate. */
  private busyMs = 0;
  private k6CpuMs = 0;
  private opened = 0;
  private hasFailed = false;

  constructor(job: LoadJob, script: K6Script) {
    this.job = job;
    this.script = script;
    this.names = createRequestNames(job.url);
    this.counts = createK6Counts(script.thresholds);
    const counts = 'users' in job.load ? 'cycles' : 'sent';
    this.tally = createTally({ names: this.names.names, declaresOk: true }, { counts });
  }

  async turn(turn: Turn, { onLive, signal }: LoadOptions = {}): Promise<TurnResult> {
    signal?.throwIfAborted();
    const progress = new TurnProgress('users' in this.job.load ? createIterations(this.tally.cycle) : null);
    const calledMs = Date.now();
    this.tally.begin(turn);
    this.use.resume();
    const k6 = await this.start(turn, (line) => this.hear(line, turn, progress));
    const abort = (): void => k6.stop();
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    const reporting = onLive && reportRate(this.tally, onLive);
    const watch = this.watchCpu(k6, progress);
    const { code, messages, errors } = await k6.ended;
    signal?.removeEventListener('abort', abort);
    clearInterval(reporting);
    this.k6CpuMs += watch();
    this.use.pause();
    signal?.throwIfAborted();
    if (SCRIPT_FAILED.has(code)) throw scriptError(this.script.workload, messages);
    if (!ENDED_WELL.has(code) || progress.startMs === null) throw k6Failed(code, messages.at(-1)?.text);
    this.counts.turnEnded(errors, messages.flatMap(crossedThresholds));
    const wallMs = Math.max(turn.durationMs, progress.lastMs - progress.startMs);
    this.startedAt ??= new Date(progress.startMs);
    this.loadMs += wallMs;
    const { failure, iterations } = progress;
    iterations?.turnEnded();
    const counted = this.tally.end();
    this.busyMs += counted.busyMs ?? 0;
    const startupMs = Math.max(0, progress.startMs - calledMs);
    const { load } = this.job;
    const outlasted = iterations !== null && 'users' in load && load.users - iterations.begunSince(turn.fromMs);
    return {
      wallMs,
      startupMs,
      ...counted,
      ...(outlasted !== false && outlasted > 0 && { outlasted }),
      ...(failure !== null && { failure }),
    };
  }

  async close(): Promise<LoadResult> {
    const { load } = this.job;
    const tally = this.tally.result();
    const own = this.use.result();
    const k6Share = this.loadMs === 0 ? 0 : this.k6CpuMs / (this.loadMs * availableParallelism());
    return {
      startedAt: (this.startedAt ?? new Date()).toISOString(),
      loadMs: this.loadMs,
      connectionsOpened: this.opened,
      reopened: 0,
      ...tally,
      // k6 is as busy as the CPUs that it may use; our own part of the work is to read what it says.
      generator: {
        eventLoopUtilisation: Math.max(own.eventLoopUtilisation, k6Share),
        cpuMs: own.cpuMs + this.k6CpuMs,
      },
      probe: this.counts.result('users' in load ? this.busyMs / load.users : tally.windowMs),
    };
  }

  private start(turn: Turn, onLine: (line: string) => void): Promise<RunningK6> {
    const { workload, thresholds } = this.script;
    const { timeoutMs } = this.job;
    const load = this.loadOf(turn);
    // What users begin in the window counts whole: the rate of a part would be too high where requests come before pauses.
    const graceMs = load.kind === 'users' ? Math.max(timeoutMs, turn.durationMs) : timeoutMs;
    const module = scriptModule({ workload, load, graceMs });
    return runModule(module, {
      cwd: dirname(workload.script),
      variables: scriptVariables(workload, this.job),
      thresholds,
      onLine,
    });
  }

  private loadOf({ durationMs }: Turn): K6Load {
    const { load, openLoop } = this.job;
    if ('users' in load) return { kind: 'users', users: load.users, durationMs };
    if ('rate' in load && openLoop !== undefined)
      return { kind: 'rate', rate: load.rate, inFlight: openLoop.inFlight, durationMs };
    throw new Error('k6 has users or a rate');
  }

  private hear(line: string, turn: Turn, progress: TurnProgress): void {
    const event = readK6Line(line);
    if (event === null) return;
    if (event.kind === 'started') {
      progress.startMs ??= event.atMs;
      return;
    }
    if (event.kind === 'opened') {
      this.opened++;
      return;
    }
    const atMs = progress.countsBy(event);
    if (event.kind === 'request') this.countRequest(event, atMs ?? undefined, progress);
    this.counts.count(event, atMs, turn);
    if (atMs === null) return;
    if (event.kind === 'received') this.tally.receive(atMs, event.bytes);
    // One that was due and found no user free.
    if (event.kind === 'dropped') for (let left = event.count; left > 0; left--) this.tally.unsent(atMs);
  }

  private countRequest(request: K6Request, beganMs: number | undefined, progress: TurnProgress): void {
    const name = this.names.of(request);
    const { status, latencyMs, isExpected } = request;
    const { startMs } = progress;
    // What setup() and teardown() send is no load, but the database has it to account for.
    const atMs = startMs === null || !request.inLoad ? Number.NEGATIVE_INFINITY : request.atMs - startMs;
    if (request.inLoad) progress.lastMs = Math.max(progress.lastMs, request.atMs);
    if (status === 0) {
      const kind = request.timedOut ? 'timeouts' : 'errors';
      this.tally.failure({ atMs, kind, waitedMs: latencyMs, name, beganMs });
    } else this.tally.answer(atMs, status, 0, latencyMs * 1000, name, { isOk: isExpected, beganMs });
    if (isExpected || this.hasFailed) return;
    this.hasFailed = true;
    progress.failure = { status: status === 0 ? null : status, text: this.names.names[name] ?? '' };
  }

  /** Begins to watch k6's CPU time; the function that is returned tells what it was between the load's start and end. */
  private watchCpu({ pid }: RunningK6, progress: TurnProgress): () => number {
    let first: number | null = null;
    let last: number | null = null;
    // It is gone as soon as it has ended, so that it is looked at now and then.
    const timer = setInterval(() => {
      if (progress.startMs === null) return;
      last = processCpuMs(pid) ?? last;
      first ??= last;
    }, CPU_MS);
    return () => {
      clearInterval(timer);
      return first === null || last === null ? 0 : last - first;
    };
  }
}

const CPU_MS = 100;

/** State of the current turn. */
class TurnProgress {
  /** The users' own; null at a rate. */
  readonly iterations: Iterations | null;
  /** When its load began, in ms since 1970. */
  startMs: number | null = null;
  /** When the last answer came. */
  lastMs = 0;
  failure: FailedRequest | null = null;

  constructor(iterations: Iterations | null) {
    this.iterations = iterations;
  }

  /** The time that an event counts by: when it came or, of users, when its iteration began. Null where it does not count. */
  countsBy(event: K6Event): number | null {
    const { startMs, iterations } = this;
    if (startMs === null || !('atMs' in event)) return null;
    const atMs = event.atMs - startMs;
    if (iterations === null) return atMs;
    const { iteration, kind } = event;
    if (iteration === undefined) return null;
    if (kind === 'iteration-time') iterations.ended(iteration, atMs);
    return iterations.seen(iteration, atMs);
  }
}

/** Variables that a script finds in `__ENV`. */
export function scriptVariables(
  { env, urlVariable, tokenVariable }: K6Workload,
  { url, token, seed, variant }: Pick<LoadJob, 'url' | 'token' | 'seed' | 'variant'>,
): Record<string, string> {
  return {
    ...env,
    [urlVariable]: url.replace(/\/$/, ''),
    ...(token !== undefined && { [tokenVariable]: token }),
    PGSWEEP_SEED: String(seed),
    ...(variant !== undefined && {
      PGSWEEP_VARIANT: variant.name,
      PGSWEEP_FACTORS: JSON.stringify(variant.factors),
    }),
  };
}

function k6Failed(code: number | null, last: string | undefined): PgsweepError {
  const how = code === null ? 'was killed' : `ended with exit code ${code}`;
  const said = last === undefined ? 'It said nothing.' : `Its last message: ${last}`;
  return new PgsweepError('load', `k6 ${how} before its load was over. ${said}`);
}

/** USER_HZ: 100 on every kind of machine that Node runs on. */
const MS_PER_TICK = 10;

/** CPU time that a process has used, in ms; null where it has ended, and on systems without /proc. */
function processCpuMs(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields 14 and 15, counted from the name's closing bracket, which ends field 2.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return null;
  }
}
