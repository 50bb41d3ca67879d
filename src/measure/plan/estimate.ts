import { plannedVariants, slotCount } from '../../journal/line-up.ts';
import { needsPostgres } from '../../journal/link/own-database.ts';
import { traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel, LoadSpec, ResolvedScenario } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { partsTimeMs } from '../link/parts.ts';
import type { ServerCosts } from '../stack/kind.ts';
import { type StackName, stackKinds } from '../stack/kinds.ts';
import { changesIndexes } from '../treatment/kinds.ts';
import { type ArmCosts, armsTimeMs } from './arm-costs.ts';
import { type Arm, plannedArms } from './arms.ts';
import { EXPECTED_LATENCY_MS } from './groups.ts';
import { levelPlan } from './level-plan.ts';
import { loadTimeMs, warmupTimeMs } from './load-time.ts';
import { armsWithCopies, needOfOwnServers } from './own-servers.ts';
import { blockTurns } from './turn-blocks.ts';
import { FEWEST_TURNS, leastSliceMs, turnLength } from './turn-length.ts';
import { takesWholeSlices } from './whole-slices.ts';

/**
 * Times besides load, in ms, on the two-core machine that the bench was built on. After its first round a run uses its own
 * times.
 */
const SET_UP_MS = 4400;
/** Once a session: other load is watched for a moment, and the service is tried on its own copy. */
const LOOK_MS = 700;
const TRY_SERVICE_MS = 1300;
const TRY_REQUESTS_MS = 300;
/** Pauses in a pass of turns, after which the counters of its databases are complete. */
const PASS_OVERHEAD_MS = 2100;
/** Time of the probes before and after a pass, for each arm. */
const PROBES_MS = 100;
/** Between the turns of a pass, and while their last requests are answered, as a share of its load. */
const BETWEEN_TURNS_SHARE = 0.03;
/** Once a session: what arms do when they are left alone, and how long turns are. */
const FIRST_ROUND_MS = 3000;
const TRIAL_MS = 300;
/** About how long a turn of the warm-up is; its last answers are waited for. */
const WARMUP_TURN_MS = 500;
/** Checkpoint, check, vacuum and analyze. */
const SETTLE_BULK_MS = 500;
/** Once a session, for each variant with a treatment: to try it on a copy. */
const TRY_TREATMENT_MS = 400;
/** A switch by request, with what is read at the edges of turns; and one that closes the database sessions. */
const SWITCH_MS = 10;
const SWITCH_SESSIONS_MS = 60;
/** An outside engine starts and ends for every slice, and so often for the warm-up of an arm. */
const START_ENGINE_MS = 700;
const ENGINE_WARMUP_TURNS = 3;
/** The indexes of an arm's database, read at its end. */
const INDEXES_MS = 50;

/** Expected size and length of a run. */
export interface Estimate {
  readonly arms: number;
  readonly cells: number;
  readonly passesPerRound: number;
  readonly slicesPerRound: number;
  /** Postgres servers that every round starts afresh; 0 where one serves the whole session while all copies fit in its shared_buffers. */
  readonly serversPerRound: number;
  readonly setUpMs: number;
  readonly roundMs: number;
  /** Until all arms of a round have started, and until all have ended. */
  readonly armsMs: number;
  /** Rounds that fit into the budget, at most the scenario's own maximum. */
  readonly rounds: number;
  readonly totalMs: number;
}

/**
 * The estimate for a dry run. `totalMs` is of the longest run: a sweep stops as soon as it has its verdicts. `costs`: what arms
 * took to start and to answer when the service was tried. `fewestTurns`: the fewest that a slice of the run's own choice has.
 */
export function estimate(
  scenario: ResolvedScenario,
  kind: StackName = 'embedded',
  costs: ArmCosts | null = null,
  fewestTurns = FEWEST_TURNS,
): Estimate {
  const all = plannedArms(scenario);
  const arms = all.length;
  const { load, rounds } = scenario;
  const { expected: levels, triedFirst, triedMs, mostInRound } = levelPlan(load);
  // What limits they will have nobody knows before the first round: those of two variants are apart.
  const passes = all.length > 2 ? mostInRound : levels.length;
  const isOneProcess = areOneProcess(scenario);
  const processes = isOneProcess ? 1 : arms;
  const started = scenario.target.kind === 'url' ? 0 : processes;
  const partsMs = sumOf(all.slice(0, started).map(({ variant }) => partsTimeMs(variant)));
  const servers = needOfOwnServers(scenario) === null ? [] : armsWithCopies(scenario);
  const restarted = costsOf(servers, kind);
  const treated = plannedVariants(scenario).filter(({ treatment }) => treatment !== undefined).length;
  const searchMs = scenario.stack.opensearch ? stackKinds[kind].costs.openSearch : 0;
  const restartMs = restartTimeMs(servers, kind);
  const startMs = needsPostgres(scenario) ? stackKinds[kind].costs.start : 0;
  // They start once to try the treatments, and once to try the service.
  const tries = treated > 0 ? 2 : 1;
  const serversMs = startMs + sumOf(restarted.map(({ copy }) => copy)) + tries * restartMs;
  const firstMs = FIRST_ROUND_MS + passes * arms * TRIAL_MS + arms * triedMs * triedFirst;
  const setUpMs =
    firstMs +
    LOOK_MS +
    (started === 0 ? 500 : SET_UP_MS + tryTimeMs(costs) + searchMs + serversMs + treated * TRY_TREATMENT_MS);
  const probesMs = scenario.probesOff === 'all' ? 0 : PROBES_MS;
  const timed = levels.filter((level) => !takesWholeSlices(load, level)).length;
  const inTurns = load.turn === 'off' ? 0 : (timed * passes) / levels.length;
  const pauseMs = started > 0 && !isOneProcess ? inTurns * PASS_OVERHEAD_MS : 0;
  const latencyMs = costs?.latencyMs ?? 0;
  const levelsMs = sumOf(levels.map((level) => passTimeMs(load, level, { latencyMs, fewestTurns }) + probesMs));
  const sliceMs = (levelsMs * passes) / levels.length;
  const settleMs = load.bulk === undefined ? 0 : SETTLE_BULK_MS;
  const switchesMs = isOneProcess ? passes * arms * turnsPerSlice(scenario, arms) * switchTimeMs(scenario) : 0;
  const startsProgram = levels.some((level) => traitsOf(level).startsProgram);
  const engineMs = startsProgram ? arms * (passes + ENGINE_WARMUP_TURNS) * START_ENGINE_MS : 0;
  const warmupMs = warmupTimeMs(load) * (1 + latencyMs / WARMUP_TURN_MS);
  const loadMs = processes * warmupMs + arms * (sliceMs + settleMs) + switchesMs + engineMs;
  const armsMs = armsTimeMs(started, costs) + (changesIndexes(scenario) ? started * INDEXES_MS : 0);
  const roundMs = restartMs + armsMs + partsMs + loadMs + pauseMs;
  const fitting = Math.floor((rounds.budgetMs - setUpMs) / roundMs);
  const expected = Math.max(1, Math.min(rounds.max, fitting));
  return {
    arms,
    cells: (1 + slotCount(scenario)) * levels.length,
    passesPerRound: passes,
    slicesPerRound: arms * passes,
    serversPerRound: servers.length,
    setUpMs,
    roundMs,
    armsMs,
    rounds: expected,
    totalMs: setUpMs + expected * roundMs,
  };
}

/** To try the service: as long as that took, where it is known. */
function tryTimeMs(costs: ArmCosts | null): number {
  return costs === null ? TRY_SERVICE_MS : costs.startMs + costs.stopMs + TRY_REQUESTS_MS + 4 * (costs.latencyMs ?? 0);
}

interface SlowAnswers {
  readonly latencyMs: number;
  readonly fewestTurns: number;
}

/** The time of an arm's slice, in ms. Where answers are slow, it is longer, and their last ones are waited for after each turn. */
function passTimeMs(load: LoadSpec, level: LoadLevel, { latencyMs, fewestTurns }: SlowAnswers): number {
  const ownMs = loadTimeMs(load, level);
  if (!traitsOf(level).isTimed || takesWholeSlices(load, level)) return (1 + BETWEEN_TURNS_SHARE) * ownMs + latencyMs;
  const leastMs = load.autoSlice === true ? leastSliceMs(load, latencyMs, fewestTurns) : 0;
  const sliceMs = Math.max(ownMs, leastMs);
  const turns = turnLength({ ...load, sliceMs }, { latencyMs, drainMs: latencyMs })?.turnsPerArm ?? 1;
  return (1 + BETWEEN_TURNS_SHARE) * sliceMs + turns * latencyMs;
}

/** How many turns an arm of a shared process is expected to have at a load level. */
export function turnsPerSlice({ load }: ResolvedScenario, arms: number): number {
  return blockTurns(load, { latencyMs: EXPECTED_LATENCY_MS }, arms).turnsPerArm;
}

/** A switch, with the load after it that is not counted. */
export function switchTimeMs({ load, variants }: ResolvedScenario): number {
  const reconnects = variants.some(({ live }) => live?.reconnect);
  return (load.settleMs ?? 0) + (reconnects ? SWITCH_SESSIONS_MS : SWITCH_MS);
}

/** To start a server for each of these arms and to stop it, in ms. */
export function restartTimeMs(arms: readonly Arm[], kind: StackName): number {
  return sumOf(costsOf(arms, kind).map(({ restart }) => restart));
}

/** A variant may have a server of another kind than the rest. */
function costsOf(arms: readonly Arm[], kind: StackName): ServerCosts[] {
  return arms.map(({ variant }) => stackKinds[variant.treatment?.postgres?.stack ?? kind].costs);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
