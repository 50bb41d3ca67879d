import type { LoadLevel, ResolvedScenario } from '../journal/scenario-record.ts';
import { changesIndexes, serversPerRound } from '../treatment/changes.ts';
import { armsOf } from './arms.ts';
import { counterWaits } from './counter-waits.ts';
import { loadTimeMs, warmupTimeMs } from './load-time.ts';

/**
 * What things cost besides load, on the two-core machine that the bench was built on. A run replaces these by its own
 * measured round after the first one.
 */
const SET_UP_MS = 5000;
/** 5 to 8 s on an idle machine; to fetch it, the first time, is not in it. */
const START_OPENSEARCH_MS = 7000;
const START_ARM_MS = 1100;
const SLICE_OVERHEAD_MS = 150;
/** What probes read before and after a slice. */
const PROBES_MS = 250;
const STOP_ARM_MS = 250;
/** Checkpoint, check, vacuum and analyze. */
const SETTLE_BULK_MS = 500;
/** Once a session, for each server: to copy the cluster (0.3 s with 2,000 documents, 0.6 s with 50,000). */
const COPY_SERVER_MS = 400;
/** Once a session, for each variant with a treatment: to try it on a copy. */
const TRY_TREATMENT_MS = 400;
/** To start a server and stop it cleanly. Two side by side take 150 + 55 ms. */
const SERVER_MS = 120;
/** The indexes of an arm's database, read at its end. */
const INDEXES_MS = 50;

/** What a run is expected to take. */
export interface Estimate {
  readonly arms: number;
  readonly cells: number;
  readonly slicesPerRound: number;
  /** Postgres servers that every round starts afresh; 0 where one server serves the whole session. */
  readonly serversPerRound: number;
  readonly setUpMs: number;
  readonly roundMs: number;
  /** Rounds that fit into the budget, at most the scenario's own maximum. */
  readonly rounds: number;
  readonly totalMs: number;
}

/** The estimate for a dry run. `totalMs` is of the longest run: a sweep stops as soon as it has its verdicts. */
export function estimate(scenario: ResolvedScenario): Estimate {
  const arms = armsOf(scenario).length;
  const { load, rounds } = scenario;
  // A bulk load comes once; what reads, as often as asked for.
  const slices = load.levels.flatMap((level) => new Array<LoadLevel>(level.bulk ? 1 : load.slicesPerRound).fill(level));
  const slicesPerRound = arms * slices.length;
  const started = scenario.target.kind === 'url' ? 0 : arms;
  const servers = serversPerRound(scenario);
  const treated = scenario.variants.filter(({ treatment }) => treatment !== undefined).length;
  const searchMs = scenario.stack.opensearch ? START_OPENSEARCH_MS : 0;
  const serversMs = servers * (COPY_SERVER_MS + SERVER_MS);
  const setUpMs = started === 0 ? 500 : SET_UP_MS + searchMs + serversMs + treated * TRY_TREATMENT_MS;
  const waits = counterWaits(scenario);
  const waitMs = started > 0 && waits.worthwhile ? waits.waitMs : 0;
  const overheadMs = SLICE_OVERHEAD_MS + (scenario.probesOff === 'all' ? 0 : PROBES_MS);
  const sliceMs = slices.reduce((sum, level) => sum + loadTimeMs(load, level) + overheadMs, 0);
  const settleMs = load.bulk === undefined ? 0 : SETTLE_BULK_MS;
  const loadMs = arms * (warmupTimeMs(load) + sliceMs + settleMs);
  const armMs = START_ARM_MS + STOP_ARM_MS + (changesIndexes(scenario) ? INDEXES_MS : 0);
  const roundMs = servers * SERVER_MS + started * armMs + loadMs + waitMs;
  const fitting = Math.floor((rounds.budgetMs - setUpMs) / roundMs);
  const expected = Math.max(1, Math.min(rounds.max, fitting));
  return {
    arms,
    cells: scenario.variants.length * load.levels.length,
    slicesPerRound,
    serversPerRound: servers,
    setUpMs,
    roundMs,
    rounds: expected,
    totalMs: setUpMs + expected * roundMs,
  };
}
