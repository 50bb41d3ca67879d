import { join } from 'node:path';
import type { JobRecord } from '../../../journal/job-spec.ts';
import { runsJob, traitsOf } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { openBesideStream } from '../../job/beside-stream.ts';
import { coolBuffers, type JobDatabase, warmBuffers } from '../../job/buffers.ts';
import { openJobStream } from '../../job/job-stream.ts';
import type { LoadStream } from '../../load/load-generator.ts';
import { nameOn } from '../servers/arm-databases.ts';
import type { LiveArm, RoundContext } from './round-context.ts';
import type { PrepareTurn } from './take-turns.ts';

/** The jobs of a pass, one for each arm. */
export interface Jobs {
  /** `requests` opens the load beside it. */
  open(alive: LiveArm, requests: () => Promise<LoadStream>): Promise<LoadStream>;
  /** Puts an arm's database where each run of the job begins. */
  readonly beforeTurn: PrepareTurn | undefined;
  /** How many checkpoints that has made so far, on all servers. */
  checkpoints(): number;
}

/** Beside a job: load before anything counts, since other arms had the machine, and before the window without the job. */
const LEAD_MS = 1000;
/** That window is as long as the arm's job took in the round before, within these. */
const LEAST_WITHOUT_MS = 1000;
const MOST_WITHOUT_MS = 60_000;

/** Jobs under a load level that runs them. */
export function jobsOf(context: RoundContext, round: number, load: LoadLevel, arms: readonly LiveArm[]): Jobs {
  const { scenario, io, stack } = context;
  const { job, bounded, dropMs, sliceMs, timeoutMs } = scenario.load;
  const buffers = new Map<string, JobRecord['buffers']>();
  let checkpoints = 0;
  return {
    async open(alive, requests) {
      const { variant, name } = alive.arm;
      const source = variant.job ?? job?.source;
      const url = alive.link?.url;
      if (source === undefined || bounded === undefined || url === undefined) throw new Error(`${name} has no job`);
      const { adminUrl, database } = databaseOf(context, alive);
      const { target } = scenario;
      const wanted = {
        source,
        check: job?.check,
        runs: bounded.count,
        limitMs: bounded.limitMs,
        logFile: join(io.folder, 'logs', 'jobs.log'),
        name,
        databaseUrl: url,
        adminUrl: adminUrl(database),
        env: { ...(target.kind === 'url' ? {} : target.env), ...variant.env },
        reaper: stack.reaper,
        endsRun: round === 1,
        onProgress: (forMs: number) => io.emit({ kind: 'job-progress', arm: name, forMs }),
        onFailure: (failure: string) => io.emit({ kind: 'warning', warning: { kind: 'job-failed', failure } }),
      };
      const buffersOf = (): JobRecord['buffers'] => buffers.get(name) ?? 'as copied';
      if (!traitsOf(load).isBesideJob) return openJobStream(wanted, buffersOf);
      const { jobMs } = context.load;
      const withoutMs = Math.min(MOST_WITHOUT_MS, Math.max(LEAST_WITHOUT_MS, jobMs.get(name) ?? sliceMs));
      const onTime = (wallMs: number): unknown => jobMs.set(name, wallMs);
      const leadMs = Math.max(LEAD_MS, dropMs);
      return openBesideStream(wanted, { requests: await requests(), leadMs, withoutMs, timeoutMs, onTime }, buffersOf);
    },
    beforeTurn: runsJob(load) ? (arm) => prepare(arms[arm]) : undefined,
    checkpoints: () => checkpoints,
  };

  async function prepare(alive: LiveArm | undefined): Promise<void> {
    if (alive === undefined) return;
    // What the job of the arm before has written must not be written to disk during this one.
    checkpoints += (await stack.databases?.checkpoint()) ?? 0;
    const isCold = job?.cold === true;
    // It makes one more.
    if (isCold) checkpoints++;
    const make = isCold ? coolBuffers : warmBuffers;
    buffers.set(alive.arm.name, await make(databaseOf(context, alive)));
  }
}

function databaseOf({ stack }: RoundContext, { arm, database }: LiveArm): JobDatabase {
  const postgres = stack.servers?.of(arm).postgres;
  if (postgres === undefined) throw new Error(`${arm.name} has no database`);
  return { adminUrl: (name) => postgres.adminUrl(name), database: nameOn(postgres, database) };
}
