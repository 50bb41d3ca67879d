import { pathToFileURL } from 'node:url';
import { markdownTable } from 'markdown-table';
import { type Noise, noises, type SessionOutcome, simulateSession, stresses } from './verdicts-session.ts';

/** One promise about verdicts, at one noise level. */
export interface Promised {
  readonly name: string;
  readonly noise: string;
  readonly sessions: number;
  readonly measured: string;
  readonly goal: string;
  readonly reached: boolean;
}

/** How many sessions of each kind. */
export interface Effort {
  readonly single: number;
  readonly sweep: number;
  /** Those in which arms are not equally noisy. */
  readonly stressed: number;
}

const FALSE_ALARMS = 0.05;
/** What the default sweep takes for a round on the machine that the recordings are from (five arms, three load levels). */
const ROUND_SECONDS = 94;
const COVERAGE = 0.94;
const WRONG_SIGN = 0.005;

interface Batch {
  readonly noise: Noise;
  readonly outcomes: readonly SessionOutcome[];
}

/** Plays all sessions and holds what came out against what is promised. */
export function judgeVerdicts(effort: Effort): Promised[] {
  const levels = Object.values(noises);
  const flat = levels.map((noise) => play(noise, [1, 1], effort.single, () => 0));
  const sweeps = levels.map((noise) => play(noise, [20, 1], effort.sweep, () => 0));
  const stressed = Object.values(stresses).map((noise) => play(noise, [20, 1], effort.stressed, () => 0));
  const grid = play(noises.typical, [5, 4], effort.sweep, () => 0);
  const planted = [2, 5, 10].map((percent) => ({
    percent,
    batches: levels.map((noise) => play(noise, [1, 1], effort.single, (_, __, seed) => plant(percent, seed))),
  }));
  // A pool size sweep as people run it: three variants, three load levels, one variant that differs.
  const pool = [5, 10].map((percent) => ({
    percent,
    batches: [noises.typical, noises.shared].map((noise) =>
      play(noise, [3, 3], effort.sweep, (variant, _, seed) => (variant === 1 ? plant(percent, seed) : 0)),
    ),
  }));
  const withEffect = [...planted, ...pool];
  return [
    ...flat.map((batch) => falseAlarms('one comparison without effect: false alarms', batch)),
    ...flat.map((batch) => unfitSessions(batch)),
    ...sweeps.map((batch) => falseAlarms('20 cells without effect (20 variants): any false alarm', batch)),
    falseAlarms('20 cells without effect (5 variants x 4 loads): any false alarm', grid),
    ...stressed.map((batch) => falseAlarms('20 cells without effect (20 variants): any false alarm', batch)),
    ...levels.map((noise) =>
      wrongSigns(
        noise,
        withEffect.flatMap(({ batches }) => batches),
      ),
    ),
    ...levels.map((noise) =>
      coverage(noise, [...flat, ...sweeps, grid, ...withEffect.flatMap(({ batches }) => batches)]),
    ),
    ...planted.flatMap(({ percent, batches }) =>
      batches.map((batch) => found(`${percent} % in one comparison`, percent, batch)),
    ),
    ...pool.flatMap(({ percent, batches }) =>
      batches.map((batch) => found(`${percent} % in 3 of 9 cells`, percent, batch)),
    ),
  ];
}

/** Half the sessions plant a gain, the others a loss of the same size in logarithms. */
function plant(percent: number, seed: number): number {
  return (seed % 2 === 0 ? 1 : -1) * Math.log1p(percent / 100);
}

function play(
  noise: Noise,
  [variants, loads]: readonly [number, number],
  sessions: number,
  effect: (variant: number, load: number, seed: number) => number,
): Batch {
  const outcomes = Array.from({ length: sessions }, (_, seed) =>
    simulateSession({ noise, variants, loads, effect: (variant, load) => effect(variant, load, seed) }, seed),
  );
  return { noise, outcomes };
}

type Cell = SessionOutcome['cells'][number];

function isAlarm({ finding }: Cell): boolean {
  return finding.verdict === 'higher' || finding.verdict === 'lower';
}

function falseAlarms(name: string, { noise, outcomes }: Batch): Promised {
  const share = shareOf(outcomes, ({ cells }) => cells.some((cell) => cell.effect === 0 && isAlarm(cell)));
  const measured = `${withError(share, outcomes.length)}, ${meanRounds(outcomes)} rounds`;
  return promise({ name, noise, sessions: outcomes.length, measured, goal: '<= 5 %', ...held(share, outcomes.length) });
}

function unfitSessions({ noise, outcomes }: Batch): Promised {
  const share = shareOf(outcomes, ({ unfit }) => unfit);
  const name = 'A/A arms call a good session unfit';
  return promise({
    name,
    noise,
    sessions: outcomes.length,
    measured: withError(share, outcomes.length),
    goal: '<= 5 %',
    ...held(share, outcomes.length),
  });
}

function wrongSigns(noise: Noise, batches: readonly Batch[]): Promised {
  const cells = cellsOf(noise, batches).filter(({ effect }) => effect !== 0);
  const share = shareOf(cells, ({ finding, effect }) => finding.verdict === (effect > 0 ? 'lower' : 'higher'));
  const name = 'wrong sign, effects of 2, 5 and 10 %';
  return promise({
    name,
    noise,
    sessions: cells.length,
    measured: percent(share, 2),
    goal: '<= 0.5 %',
    reached: share <= WRONG_SIGN,
  });
}

function coverage(noise: Noise, batches: readonly Batch[]): Promised {
  const cells = cellsOf(noise, batches).filter(({ finding }) => finding.interval !== null);
  const share = shareOf(cells, ({ finding, effect }) => {
    const truth = 100 * Math.expm1(effect);
    const [low, high] = finding.interval ?? [Number.NaN, Number.NaN];
    return low <= truth && truth <= high;
  });
  const name = 'intervals that hold the truth';
  return promise({
    name,
    noise,
    sessions: cells.length,
    measured: percent(share),
    goal: '>= 94 %',
    reached: share >= COVERAGE,
  });
}

/** Whether a share may be one of 5 % that was seen in so many sessions: within two standard errors. */
function held(share: number, sessions: number): { readonly reached: boolean } {
  return { reached: share <= FALSE_ALARMS + 2 * Math.sqrt((FALSE_ALARMS * (1 - FALSE_ALARMS)) / sessions) };
}

/** Typical and shared noise have a promise; the others show what it costs. */
function found(what: string, size: number, { noise, outcomes }: Batch): Promised {
  const cells = outcomes.flatMap((outcome) => outcome.cells).filter(({ effect }) => effect !== 0);
  const share = shareOf(cells, ({ finding, effect }) => finding.verdict === (effect > 0 ? 'higher' : 'lower'));
  const isPromised = noise === noises.typical || noise === noises.shared;
  const least = !isPromised ? null : ({ 5: 0.9, 10: 0.95 }[size] ?? null);
  return promise({
    name: `found: ${what}`,
    noise,
    sessions: outcomes.length,
    measured: `${withError(share, cells.length)}, ${meanRounds(outcomes)} rounds (${minutes(outcomes)} min)`,
    goal: least === null ? '' : `>= ${100 * least} %`,
    reached: least === null || share >= least,
  });
}

function promise({ noise, ...rest }: Omit<Promised, 'noise'> & { readonly noise: Noise }): Promised {
  return { ...rest, noise: noise.name };
}

function cellsOf(noise: Noise, batches: readonly Batch[]): Cell[] {
  return batches
    .filter((batch) => batch.noise === noise)
    .flatMap(({ outcomes }) => outcomes.flatMap(({ cells }) => cells));
}

function shareOf<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.filter(holds).length / items.length;
}

function percent(share: number, decimals = 1): string {
  return `${(100 * share).toFixed(decimals)} %`;
}

/** With two standard errors. */
function withError(share: number, count: number): string {
  return `${percent(share)} ± ${(200 * Math.sqrt((share * (1 - share)) / count)).toFixed(1)}`;
}

function roundsOf(outcomes: readonly SessionOutcome[]): number {
  return outcomes.reduce((sum, { rounds }) => sum + rounds, 0) / outcomes.length;
}

function meanRounds(outcomes: readonly SessionOutcome[]): string {
  return roundsOf(outcomes).toFixed(1);
}

function minutes(outcomes: readonly SessionOutcome[]): string {
  return ((roundsOf(outcomes) * ROUND_SECONDS) / 60).toFixed(0);
}

/**
 * `npm run bench:verdicts`: prints the table. Exit code 1 where a promise is not kept. A number less than 1 as its argument
 * is the part of the sessions that are played.
 */
function main(): void {
  const part = Number(process.argv[2] ?? 1);
  const promises = judgeVerdicts({ single: 600 * part, sweep: 400 * part, stressed: 4000 * part });
  const rows = promises.map(({ name, noise, sessions, measured, goal, reached }) => [
    name,
    noise,
    String(sessions),
    measured,
    goal,
    goal === '' ? '' : reached ? 'kept' : 'MISSED',
  ]);
  console.log(markdownTable([['verdicts', 'noise', 'sessions', 'measured', 'promised', ''], ...rows]));
  process.exitCode = promises.every(({ reached }) => reached) ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
