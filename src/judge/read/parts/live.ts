import { areSeen } from '../../../journal/live-switch.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { LoadLevel, Variant } from '../../../journal/scenario-record.ts';
import { tInterval } from '../../stats/interval.ts';
import { mean, sum } from '../../stats/moments.ts';
import { significant } from '../../stats/rounding.ts';
import { nestedNoise, valuesPerStart } from '../../stats/variance.ts';
import type { CompleteRound, JudgedSlice } from '../rounds/complete-rounds.ts';
import { turnRate } from '../rounds/turn-rates.ts';

/** Live switches under a load level, over all complete rounds, each of which is a start. */
export interface LiveLevel {
  readonly load: LoadLevel;
  readonly starts: number;
  /** In a start, the fewest and the most. */
  readonly blocks: { readonly least: number; readonly most: number };
  /** All of them, each seen before its turn; or of some no more than that the service answered them with 2xx. */
  readonly switches: number;
  readonly seen: boolean;
  readonly switchMs: number;
  /** Load after a switch that is not counted. */
  readonly settleMs: number;
  /** Standard deviations of ln(variant / control) of requests per second; null with fewer than two starts. */
  readonly noise: { readonly betweenStartsPercent: number; readonly betweenBlocksPercent: number } | null;
  /** With what starts and blocks cost here, how many blocks a start deserves; null where starts do not differ. */
  readonly blocksDeserved: number | null;
  readonly carryOver: readonly CarryOver[];
}

/** The sums for one load level. */
export interface LiveBlocks {
  readonly load: LoadLevel;
  readonly blocks: number[];
  switches: number;
  switchMs: number;
  settleMs: number;
  passMs: number;
  startMs: number;
  /** By variant and start, ln(variant / control) of each block. */
  readonly logRatios: Map<string, number[][]>;
  readonly carried: CarriedOver;
}

/** Adds the passes of a round in which settings were switched live. */
export function addLiveBlocks(levels: Map<string, LiveBlocks>, round: CompleteRound, control: string): void {
  const { passes, slices, durationMs } = round;
  const passesMs = sum(passes.map((pass) => pass.durationMs));
  for (const pass of passes) {
    const { load, live, durationMs: passMs } = pass;
    if (live === undefined) continue;
    const key = loadKey(load);
    const level = levels.get(key) ?? newLevel(load);
    levels.set(key, level);
    level.blocks.push(live.blocks);
    level.switches += live.switches;
    level.switchMs += live.switchMs;
    level.settleMs = live.settleMs;
    level.passMs += passMs;
    addCarryOver(level.carried, round, pass);
    level.startMs += (durationMs - passesMs) / passes.length;
    const own = slices.filter(({ slice, voided }) => loadKey(slice.load) === key && voided.length === 0);
    const controls = own.filter(({ slice }) => slice.variant === control).map(blockRates);
    for (const judged of own) {
      const { variant, arm } = judged.slice;
      if (variant === control) continue;
      const starts = level.logRatios.get(arm) ?? [];
      level.logRatios.set(arm, [...starts, ratiosOf(blockRates(judged), controls)]);
    }
  }
}

function newLevel(load: LoadLevel): LiveBlocks {
  const sums = { switches: 0, switchMs: 0, settleMs: 0, passMs: 0, startMs: 0 };
  return { load, blocks: [], ...sums, logRatios: new Map(), carried: new Map() };
}

/** Answers a second in the two turns of each block. */
function blockRates({ slice }: JudgedSlice): number[] {
  const blocks = Math.floor((slice.turns?.okByTime.length ?? 0) / 2);
  return Array.from({ length: blocks }, (_, block) => turnRate(slice, { from: 2 * block, to: 2 * block + 2 }));
}

/** Against the geometric mean of the control's arms; blocks without answers have none. */
function ratiosOf(rates: readonly number[], controls: readonly (readonly number[])[]): number[] {
  return rates.flatMap((rate, block) => {
    const log = Math.log(rate) - mean(controls.map((own) => Math.log(own[block] ?? 0)));
    return Number.isFinite(log) ? [log] : [];
  });
}

/** The load levels that were switched live, in their order. */
export function liveLevels(levels: ReadonlyMap<string, LiveBlocks>, variants: readonly Variant[]): LiveLevel[] {
  const seen = areSeen(variants);
  const tests = sum([...levels.values()].map(({ carried }) => carried.size));
  return [...levels.values()].map((level) => {
    const { load, blocks, switches, switchMs, settleMs, logRatios } = level;
    const noises = [...logRatios.values()].flatMap((starts) => nestedNoise(starts) ?? []);
    const [between, within] = [mean(noises.map((one) => one.between)), mean(noises.map((one) => one.within))];
    const cost = { startMs: level.startMs / blocks.length, valueMs: level.passMs / sum(blocks) };
    const deserved = noises.length === 0 ? Number.NaN : valuesPerStart({ between, within }, cost);
    const percent = (variance: number): number => significant(100 * Math.sqrt(variance));
    return {
      load,
      starts: blocks.length,
      blocks: { least: Math.min(...blocks), most: Math.max(...blocks) },
      switches,
      seen,
      switchMs: significant(switchMs / switches),
      settleMs,
      noise:
        noises.length === 0 ? null : { betweenStartsPercent: percent(between), betweenBlocksPercent: percent(within) },
      carryOver: carryOvers(level.carried, tests),
      blocksDeserved: Number.isFinite(deserved) ? Math.round(deserved) : null,
    };
  });
}

/**
 * Carry-over of a variant: its turns directly after another setting against its turns after itself, in percent of
 * answers. Each block has one A/A switch, at its turn. It occurs where `load.settle` is too short: the other's work
 * still continues, or its own has not begun in full. Most turns come after another setting, so a measured change is off
 * by about as much. The interval is null with fewer than two blocks.
 */
export interface CarryOver {
  readonly variant: string;
  readonly percent: number;
  readonly interval: readonly [low: number, high: number] | null;
}

/** The chance that any variant of a run falsely seems to have some, under any load level. */
const ERROR = 0.05;

/**
 * By variant, a log ratio for each block that has turns of it after both. Without carry-over, blocks of one start have
 * no more in common than blocks of two, so each of them counts.
 */
type CarriedOver = Map<string, number[]>;

/** Adds what the blocks of a pass tell. */
function addCarryOver(
  carried: CarriedOver,
  { slices }: Pick<CompleteRound, 'slices'>,
  { arms, order, live, pass }: CompleteRound['passes'][number],
): void {
  const own = arms.map((name) => slices.find(({ slice }) => slice.arm === name && slice.pass === pass)?.slice);
  const taken = arms.map(() => 0);
  const perBlock = 2 * arms.length;
  for (let block = 0; block < (live?.blocks ?? 0); block++) {
    const after = { itself: new Map<string, number[]>(), another: new Map<string, number[]>() };
    for (let at = block * perBlock; at < (block + 1) * perBlock; at++) {
      const arm = order[at] ?? 0;
      const turn = taken[arm] ?? 0;
      taken[arm] = turn + 1;
      const variant = own[arm]?.variant;
      const before = own[order[at - 1] ?? -1]?.variant;
      const log = Math.log(own[arm] === undefined ? 0 : turnRate(own[arm], { from: turn, to: turn + 1 }));
      if (variant === undefined || before === undefined || !Number.isFinite(log)) continue;
      const logs = before === variant ? after.itself : after.another;
      logs.set(variant, [...(logs.get(variant) ?? []), log]);
    }
    for (const [variant, itself] of after.itself) {
      const another = after.another.get(variant);
      if (another === undefined) continue;
      carried.set(variant, [...(carried.get(variant) ?? []), mean(another) - mean(itself)]);
    }
  }
}

/** Carry-over by variant, over all blocks of a load level. `tests`: those of the run, which share the error. */
function carryOvers(carried: CarriedOver, tests: number): CarryOver[] {
  return [...carried].map(([variant, values]) => {
    const range = tInterval(values, ERROR / tests);
    const percent = (log: number): number => significant(100 * Math.expm1(log));
    return {
      variant,
      percent: percent(mean(values)),
      interval: range === null ? null : [percent(range.low), percent(range.high)],
    };
  });
}

/** True where it is beyond doubt that there is some. */
export function isCertain({ interval }: CarryOver): boolean {
  return interval !== null && (interval[0] > 0 || interval[1] < 0);
}
