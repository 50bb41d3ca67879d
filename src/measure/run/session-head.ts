import { randomUUID } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { maskKnownTexts } from '../../base/secrets.ts';
import type { Journal, JournalWriter } from '../../journal/journal.ts';
import { JOURNAL_VERSION, type Provenance, type RunRecord } from '../../journal/records.ts';
import { scenarioPath } from '../../journal/run/scenario-path.ts';
import { recordedSecrets } from '../../journal/run/secret-leaves.ts';
import type { ShardRecord } from '../../journal/run/shard-records.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { RunPlan } from '../plan/run-plan.ts';
import type { Stack } from '../stack/stack.ts';
import { gatherProvenance, requireSameData, sourcesOf } from './provenance.ts';
import { type RunFolder, writeRunFile } from './run-folder.ts';
import type { SessionServers } from './servers/session-servers.ts';

export interface HeadOptions {
  readonly scenario: ResolvedScenario;
  readonly seed: number;
  readonly quick: boolean;
  readonly folder: RunFolder;
  /** The journal of the run to resume; null for a new run. */
  readonly resume: Journal | null;
  /** Which share of a plan the run is; absent where it is all of it. */
  readonly shard?: ShardRecord;
}

/** Facts of a session that its head records. */
export interface HeadFacts {
  readonly servers: Pick<SessionServers, 'database' | 'search'> & { readonly chosen: Pick<Stack, 'reason'> };
  /** Records of parts of variants. */
  readonly parts: Partial<Provenance>;
  /** Why pg_stat_database is not attributed to slices; null where it is. */
  readonly withoutCounters: string | null;
  readonly setUpMs: number;
  readonly plan: Pick<RunPlan, 'scenario' | 'short' | 'estimate'>;
}

/** Begins the journal of a new run, or a new session of a resumed one. Throws PgsweepError `dataset` where its data changed. */
export async function writeHead(journal: JournalWriter, options: HeadOptions, facts: HeadFacts): Promise<void> {
  const { seed, quick, folder, resume, shard } = options;
  const { servers, parts, withoutCounters, setUpMs, plan } = facts;
  const { scenario, short } = plan;
  const { chosen, database, search } = servers;
  const dataset = database?.dataset.record ?? null;
  const { postgres = null, role } = database ?? {};
  const stack = { reason: chosen.reason, postgres, parts, search, role };
  const path = resume ? scenarioPath(resume.run) : scenario.file;
  const provenance = maskKnownTexts(await gatherProvenance(sourcesOf(scenario, path), stack, dataset));
  const { masked, secrets } = recordedSecrets(scenario);
  if (resume) {
    requireSameData(resume.run.provenance.dataset, dataset);
    const machine = shard && { machine: shard.machine };
    const { rounds } = options.scenario;
    journal.append({ type: 'resume', at: systemClock.isoNow(), provenance, ...secrets, rounds, ...machine });
    return;
  }
  const run: RunRecord = {
    type: 'run',
    version: JOURNAL_VERSION,
    id: randomUUID(),
    startedAt: systemClock.isoNow(),
    seed,
    quick,
    scenario: masked,
    startedIn: process.cwd(),
    provenance,
    ...secrets,
    ...(shard && { shard }),
    ...(short && { shortRounds: short }),
    withoutCounters,
    setUpMs,
  };
  writeRunFile(folder, run, plan.estimate);
  journal.append(run);
}
