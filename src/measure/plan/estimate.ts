import { plannedVariants, slotCount } from '../../journal/line-up.ts';
import { needsPostgres } from '../../journal/link/own-database.ts';
import { traitsOf } from '../../journal/load-level.ts';
import type { LoadSpec, ResolvedScenario } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { partsTimeMs } from '../link/parts.ts';
import type { ServerCosts } from '../stack/kind.ts';
import { type StackName, stackKinds } from '../stack/kinds.ts';
import { changesIndexes } from '../treatment/kinds.ts';
import { type ArmCosts, armsTimeMs } from './arm-costs.ts';
import { type Arm, plannedArms, servicesToStart } from './arms.ts';
import { type ExpectedSearch, expectedSearch, type SearchTime } from './expected-search.ts';
import { roundsForAnswer } from './least-rounds.ts';
import { levelPlan } from './level-plan.ts';
import { warmupTimeMs } from './load-time.ts';
import { armsWithCopies, needOfOwnServers } from './own-servers.ts';
import { passCosts, START_ENGINE_MS } from './pass-costs.ts';
import { hasTurns, type PassCosts, sliceTimeMs } from './pass-time.ts';
import { isSearch } from './search-time.ts';
import { FEWEST_TURNS } from './turn-length.ts';

/**
 * Times besides load, in ms, on the two-core machine that the bench was built on. After its first round a run uses its own
 * times.
 */
const SET_UP_MS = 4400;
/** Once a session: other load is watched for a moment, and the service is tried on its own copy. */
const LOOK_MS = 700;
const TRY_SERVICE_MS = 1300;
const TRY_REQUESTS_MS = 300;
/** Once a session: what arms do when they are left alone. */
const FIRST_ROUND_MS = 3000;
/** About how long a turn of the warm-up is; its last answers are waited for. */
const WARMUP_TURN_MS = 500;
/** The part of its longest time that warm-up saves where answers come fast. */
const FAST_WARMUP_SHARE = 0.7;
/** Checkpoint, check, vacuum and analyze. */
const SETTLE_BULK_MS = 500;
/** Once a session, for each variant with a treatment: to try it on a copy. */
const TRY_TREATMENT_MS = 400;
/** An outside engine starts and ends so often for the warm-up of an arm. */
const ENGINE_WARMUP_TURNS = 3;
/** The indexes of an arm's database, read at its end. */
const INDEXES_MS = 50;

/** The shortest and the longest that a round of a search is expected to take, in ms. */
export interface TimeBounds {
  readonly roundMs: readonly [number, number];
  readonly firstRoundMs: readonly [number, number];
}

/** Expected size and length of a run. */
export interface Estimate {
  readonly arms: number;
  readonly cells: number;
  readonly passesPerRound: number;
  readonly slicesPerRound: number;
  /** Postgres servers that every round starts afresh; 0 where one serves the whole session while all copies fit in its shared_buffers. */
  readonly serversPerRound: number;
  /** Until the first round begins. */
  readonly setUpMs: number;
  /** With what a session does only once: it watches idle arms, tries turns, and a search goes up through its range. */
  readonly firstRoundMs: number;
  readonly roundMs: number;
  /** Set where times depend on limits that are not known yet: 98 % of searches lie within. */
  readonly bounds?: TimeBounds;
  /** Until all arms of a round have started, and until all have ended. */
  readonly armsMs: number;
  /**
   * Rounds that fit into the budget, at most the scenario's own maximum. As many as the answer needs may take the time to settle what
   * is open, too.
   */
  readonly rounds: number;
  readonly totalMs: number;
}

/**
 * The estimate for a dry run. `totalMs` is of the longest run: a sweep stops as soon as it has its verdicts. `known`: what arms
 * took to start and to answer when the service was tried. `fewestTurns`: the fewest that a slice of the run's own choice has.
 */
export function estimate(
  scenario: ResolvedScenario,
  kind: StackName = 'embedded',
  known: ArmCosts | null = null,
  fewestTurns = FEWEST_TURNS,
): Estimate {
  const all = plannedArms(scenario);
  const arms = all.length;
  const { load, rounds } = scenario;
  const levels = levelPlan(load).expected;
  const isOneProcess = areOneProcess(scenario);
  const processes = isOneProcess ? 1 : arms;
  const started = servicesToStart(scenario);
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
  const setUpMs =
    LOOK_MS + (started === 0 ? 500 : SET_UP_MS + tryTimeMs(known) + searchMs + serversMs + treated * TRY_TREATMENT_MS);
  const costs = passCosts(scenario, known, fewestTurns);
  const time = isSearch(load)
    ? expectedSearch(
        load,
        all.map(({ variant }) => variant.name),
        costs,
      )
    : namedTime(load, arms, costs);
  const warmupMs = warmupTimeMs(load) * (1 + costs.latencyMs / WARMUP_TURN_MS);
  const startsProgram = levels.some((level) => traitsOf(level).startsProgram);
  const engineMs = startsProgram ? arms * ENGINE_WARMUP_TURNS * START_ENGINE_MS : 0;
  const settleMs = load.bulk === undefined ? 0 : arms * SETTLE_BULK_MS;
  const armsMs = armsTimeMs(started, known) + (changesIndexes(scenario) ? started * INDEXES_MS : 0);
  const besideMs = restartMs + armsMs + partsMs + processes * warmupMs + engineMs + settleMs;
  const inRound = ({ roundMs }: SearchTime): number => besideMs + roundMs;
  const inFirst = ({ firstRoundMs }: SearchTime): number => FIRST_ROUND_MS + besideMs + firstRoundMs;
  const { median, least, most } = time;
  const [roundMs, firstRoundMs] = [inRound(median), inFirst(median)];
  const { budgetMs, settleWithinMs = budgetMs } = rounds;
  const fittingIn = (ms: number): number => 1 + Math.floor((ms - setUpMs - firstRoundMs) / roundMs);
  const fitting = Math.max(fittingIn(budgetMs), Math.min(roundsForAnswer(scenario), fittingIn(settleWithinMs)));
  const expected = Math.max(1, Math.min(rounds.max, fitting));
  // A fast service has had its requests of warm-up sooner.
  const soonerMs = load.warmupRequests === undefined ? 0 : processes * warmupMs * FAST_WARMUP_SHARE;
  const bounds: TimeBounds = {
    roundMs: [inRound(least) - soonerMs, inRound(most)],
    firstRoundMs: [inFirst(least) - soonerMs, inFirst(most)],
  };
  return {
    arms,
    cells: (1 + slotCount(scenario)) * levels.length,
    passesPerRound: median.passes,
    slicesPerRound: arms * median.passes,
    serversPerRound: servers.length,
    setUpMs,
    firstRoundMs,
    roundMs,
    ...(isSearch(load) && { bounds }),
    armsMs,
    rounds: expected,
    totalMs: timeOfRounds({ setUpMs, firstRoundMs, roundMs }, expected),
  };
}

type RunTimes = Pick<Estimate, 'setUpMs' | 'firstRoundMs' | 'roundMs'>;

/** Time of a run with this many rounds, in ms. */
export function timeOfRounds({ setUpMs, firstRoundMs, roundMs }: RunTimes, rounds: number): number {
  return setUpMs + firstRoundMs + (rounds - 1) * roundMs;
}

/** Times of a run whose rounds take as long as they may. */
export function longest({ setUpMs, firstRoundMs, roundMs, bounds }: Estimate): RunTimes {
  if (bounds === undefined) return { setUpMs, firstRoundMs, roundMs };
  return { setUpMs, firstRoundMs: bounds.firstRoundMs[1], roundMs: bounds.roundMs[1] };
}

/** To try the service: as long as that took, where it is known. */
function tryTimeMs(costs: ArmCosts | null): number {
  return costs === null ? TRY_SERVICE_MS : costs.startMs + costs.stopMs + TRY_REQUESTS_MS + 4 * (costs.latencyMs ?? 0);
}

/** Times of a scenario that names its levels. */
function namedTime(load: LoadSpec, arms: number, costs: PassCosts): ExpectedSearch {
  const { levels } = load;
  const inTurns = levels.filter((level) => hasTurns(load, level)).length;
  const slicesMs = sumOf(levels.map((level) => sliceTimeMs(load, level, costs) + costs.perSliceMs));
  const roundMs = arms * slicesMs + inTurns * costs.pausesMs;
  const time = { passes: levels.length, roundMs, firstRoundMs: roundMs + levels.length * costs.trialsMs };
  return { median: time, least: time, most: time };
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
