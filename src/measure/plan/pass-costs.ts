import { needsPostgres } from '../../journal/link/own-database.ts';
import { traitsOf } from '../../journal/load-level.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import type { ArmCosts } from './arm-costs.ts';
import { plannedArms } from './arms.ts';
import { EXPECTED_LATENCY_MS } from './groups.ts';
import { levelPlan } from './level-plan.ts';
import type { PassCosts } from './pass-time.ts';
import { blockTurns } from './turn-blocks.ts';

/** Pauses in a pass of turns, after which the counters of its databases are complete. */
const PAUSES_MS = 2100;
/** Time of the probes before and after a pass, for each arm. */
const PROBES_MS = 100;
/** For each arm and level that has turns: they are tried once. */
const TRIAL_MS = 300;
/** A switch by request, with what is read at the edges of turns; and one that closes the database sessions. */
const SWITCH_MS = 10;
const SWITCH_SESSIONS_MS = 60;
/** An outside engine starts and ends for every slice. */
export const START_ENGINE_MS = 700;

/**
 * Time of passes beside their load, in ms. `known`: costs of arms where the service was tried. `fewestTurns`: the fewest that
 * a slice of the run's own choice has.
 */
export function passCosts(scenario: ResolvedScenario, known: ArmCosts | null, fewestTurns: number): PassCosts {
  const { load, probesOff } = scenario;
  const arms = plannedArms(scenario).length;
  const levels = levelPlan(load).expected;
  const isOneProcess = areOneProcess(scenario);
  const startsProgram = levels.some((level) => traitsOf(level).startsProgram);
  const switchesMs = isOneProcess ? turnsPerSlice(scenario, arms) * switchTimeMs(scenario) : 0;
  return {
    latencyMs: known?.latencyMs ?? 0,
    fewestTurns,
    perSliceMs: (probesOff === 'all' ? 0 : PROBES_MS) + switchesMs + (startsProgram ? START_ENGINE_MS : 0),
    pausesMs: needsPostgres(scenario) && !isOneProcess && load.turn !== 'off' ? PAUSES_MS : 0,
    trialsMs: arms * TRIAL_MS,
  };
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
