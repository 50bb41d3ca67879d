import { parseArgs } from 'node:util';
import { markdownTable } from 'markdown-table';
import { levels, type PlayedSession, type VerdictBatch, verdictBatches } from './verdicts-batches.ts';
import { keptIn, noneKept } from './verdicts-kept.ts';
import { playAll } from './verdicts-processes.ts';
import { type Noise, noises } from './verdicts-session.ts';

/** One promise about verdicts, at one noise level. */
interface Promised {
  readonly name: string;
  readonly noise: string;
  readonly sessions: number;
  readonly measured: string;
  readonly goal: string;
  readonly reached: boolean;
}

const FALSE_ALARMS = 0.05;
/** What the default sweep takes for a round on the machine that the recordings are from (five arms, three load levels). */
const ROUND_SECONDS = 94;
const COVERAGE = 0.94;
const WRONG_SIGN = 0.005;
const HALF = 0.5;

interface Batch extends VerdictBatch {
  readonly outcomes: readonly PlayedSession[];
}

/** Holds what came out of all sessions against what is promised. */
function promisesOf(batches: readonly Batch[]): Promised[] {
  const of = (kind: VerdictBatch['kind']): Batch[] => batches.filter((batch) => batch.kind === kind);
  const withEffect = [...of('planted'), ...of('pool')];
  const flat = of('flat');
  const [many, grid, stressed] = [of('20 variants'), of('5 variants x 4 loads'), of('stressed')];
  return [
    ...flat.map((batch) => falseAlarms('one comparison without effect: false alarms', batch)),
    ...many.map((batch) => falseAlarms('20 cells without effect (20 variants): any false alarm', batch)),
    ...grid.map((batch) => falseAlarms('20 cells without effect (5 variants x 4 loads): any false alarm', batch)),
    ...stressed.map((batch) => falseAlarms('20 cells without effect (20 variants): any false alarm', batch)),
    ...of('other control').map((batch) =>
      falseAlarms('9 cells without effect against another control afterwards: any false alarm', batch),
    ),
    ...of('noisy arm').map((batch) =>
      falseAlarms(`${batch.variants} variants x ${batch.loads} loads, one noisy: any false alarm`, batch),
    ),
    ...of('stays').flatMap((batch) => whatStays(batch)),
    ...of('stalls').map(whileStalling),
    ...levels.map((noise) => wrongSigns(noise, withEffect)),
    ...levels.map((noise) => coverage(noise, [...flat, ...many, ...grid, ...withEffect])),
    ...levels.map((noise) => falselySame(noise, withEffect)),
    ...of('odd starts').flatMap(falselySameMean),
    ...of('decision').map(decided),
    ...of('decision')
      .filter(({ choice }) => choice?.alarms && !choice.isUnlucky)
      .flatMap((batch) => [
        falseAlarms(`which to take: ${batch.choice?.name}: any false alarm of those that stay`, batch),
        bestLeaves(batch),
      ]),
    ...timesOf(of('decision')),
    ...of('planted').map((batch) => found(`${batch.plantedPercent} % in one comparison`, batch)),
    ...of('pool').map((batch) => found(`${batch.plantedPercent} % in 3 of 9 cells`, batch)),
  ];
}

type Cell = PlayedSession['cells'][number];

function isAlarm({ verdict }: Cell): boolean {
  return verdict === 'higher' || verdict === 'lower';
}

function falseAlarms(name: string, { noise, outcomes }: Batch): Promised {
  const share = shareOf(outcomes, ({ cells }) => cells.some((cell) => cell.effect === 0 && isAlarm(cell)));
  return rare({ name, noise, share, of: outcomes.length, more: `, ${meanRounds(outcomes)} rounds` });
}

/** A part that stays may be as large as 1 %, so far is promised; what is larger is shown. */
const MOST_STAYS = 0.01;

function whatStays(batch: Batch): Promised[] {
  const [alarms, same] = [falseAlarms('the default sweep: any false alarm', batch), falselySame(batch.noise, [batch])];
  const isPromised = (batch.noise.stays ?? 0) <= MOST_STAYS;
  return [alarms, { ...same, name: `the default sweep: ${same.name}` }].map((one) =>
    isPromised ? one : { ...one, goal: '', reached: true },
  );
}

/**
 * A service that stalls at random times has skewed noise. Wrong are a difference where none is, and `same` where one is. False
 * alarms are shown and not promised: after four rounds turns do not always show the skewness.
 */
function whileStalling(batch: Batch): Promised {
  if (batch.plantedPercent === 0) return { ...falseAlarms('stalls: false alarms', batch), goal: '', reached: true };
  const same = falselySame(batch.noise, [batch]);
  return { ...same, name: `stalls: ${same.name}` };
}

function wrongSigns(noise: Noise, batches: readonly Batch[]): Promised {
  const cells = cellsOf(noise, batches).filter(({ effect }) => effect !== 0);
  const share = shareOf(cells, ({ verdict, effect }) => verdict === (effect > 0 ? 'lower' : 'higher'));
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

/** Cells that differ by the margin. */
function falselySame(noise: Noise, batches: readonly Batch[]): Promised {
  const cells = cellsOf(
    noise,
    batches.filter(({ plantedPercent }) => plantedPercent === 5),
  ).filter(({ effect }) => effect !== 0);
  const share = shareOf(cells, ({ verdict }) => verdict === 'same');
  return rare({ name: 'called the same although they differ by the margin', noise, share, of: cells.length });
}

/**
 * Sessions in which one arm has slow starts, whose mean differs by the margin or more. What comes by chance may not have come
 * before the session stopped: nobody can see it then, so the promise is that of sessions in which one came.
 */
function falselySameMean({ noise, odd, outcomes }: Batch): Promised[] {
  if (odd === undefined) return [];
  const isSame = ({ cells }: PlayedSession): boolean => cells.some(({ verdict }) => verdict === 'same');
  const starts = `one start in ${odd.oneIn} ${100 * odd.slower} % slower`;
  const share = shareOf(outcomes, isSame);
  const more = `, ${meanRounds(outcomes)} rounds`;
  if (odd.regular) return [rare({ name: `called the same: ${starts}`, noise, share, of: outcomes.length, more })];
  const seen = outcomes.filter(({ oddStarts }) => oddStarts > 0);
  const name = `called the same: ${starts}, by chance`;
  return [
    promise({
      name,
      noise,
      sessions: outcomes.length,
      measured: withError(share, outcomes.length),
      goal: '',
      reached: true,
    }),
    rare({ name: `${name}, once one came`, noise, share: shareOf(seen, isSame), of: seen.length, more }),
  ];
}

/** Decisions: how often one takes a setting that is worse than the best by the margin, and what a decision takes. */
function decided({ choice, noise, outcomes, loads }: Batch): Promised {
  const name = `which to take: ${choice?.name ?? ''}`;
  if (choice?.isPromise) {
    const share = meanOf(outcomes, ({ wrong }) => wrong / loads);
    if (choice.isUnlucky) {
      const gone = percent(shareOf(outcomes, ({ bestLeft }) => bestLeft));
      const measured = `${withError(share, outcomes.length)}, the best left in ${gone}`;
      const how = choice.leave === false ? ', none leaves' : '';
      return promise({
        name: `${name}${how}: wrong`,
        noise,
        sessions: outcomes.length,
        measured,
        goal: '',
        reached: true,
      });
    }
    return rare({
      name: `${name}: wrong`,
      noise,
      share,
      of: outcomes.length,
      more: `, ${meanRounds(outcomes)} rounds${loads > 1 ? `, ${meanOf(outcomes, (one) => one.levelsLeft).toFixed(1)} levels leave` : ''}`,
    });
  }
  const share = shareOf(outcomes, (one) => one.decided === loads);
  const how = choice?.leave === false ? ', none leaves' : '';
  const all = choice?.question === 'best' ? `decided in ${percent(share)}${how}, ` : 'every change: ';
  return promise({
    name,
    noise,
    sessions: outcomes.length,
    measured: `${all}${meanRounds(outcomes)} rounds`,
    goal: '',
    reached: true,
  });
}

/** How often the best setting leaves. It is a part of the decisions that are wrong. */
function bestLeaves({ choice, noise, outcomes }: Batch): Promised {
  const share = shareOf(outcomes, ({ bestLeft }) => bestLeft);
  const more = `, ${meanOf(outcomes, ({ left }) => left).toFixed(1)} leave`;
  return rare({ name: `which to take: ${choice?.name}: the best leaves`, noise, share, of: outcomes.length, more });
}

/** The load that a decision with arms that leave takes, against a verdict on every change. */
function timesOf(batches: readonly Batch[]): Promised[] {
  return batches.flatMap((batch) => {
    const { choice, noise, outcomes, loads } = batch;
    if (choice?.isPromise || choice?.question !== 'best' || choice.leave === false || loads > 1) return [];
    const today = batches.find((one) => one.choice?.name === choice.name && one.choice.question === 'changes');
    if (today === undefined) return [];
    const [own, all] = [batch, today].map((one) => meanOf(one.outcomes, ({ fullRounds }) => fullRounds));
    const share = (own ?? 0) / (all ?? 1);
    return [
      promise({
        name: `which to take: ${choice.name}: load, of that for every change`,
        noise,
        sessions: outcomes.length,
        measured: `${percent(share)} (${meanOf(outcomes, ({ left }) => left).toFixed(1)} leave)`,
        goal: choice.isHalf ? '<= 50 %' : '',
        reached: !choice.isHalf || share <= HALF,
      }),
    ];
  });
}

function meanOf(outcomes: readonly PlayedSession[], figure: (one: PlayedSession) => number): number {
  return outcomes.reduce((sum, one) => sum + figure(one), 0) / outcomes.length;
}

function coverage(noise: Noise, batches: readonly Batch[]): Promised {
  const cells = cellsOf(noise, batches).filter(({ interval }) => interval !== null);
  const share = shareOf(cells, ({ interval, effect }) => {
    const truth = 100 * Math.expm1(effect);
    const [low, high] = interval ?? [Number.NaN, Number.NaN];
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

interface Rare {
  readonly name: string;
  readonly noise: Noise;
  readonly share: number;
  readonly of: number;
  readonly more?: string;
}

/** A mistake that is promised to be rare: kept where its share may be one of 5 %, within two standard errors. */
function rare({ name, noise, share, of, more = '' }: Rare): Promised {
  const reached = share <= FALSE_ALARMS + 2 * Math.sqrt((FALSE_ALARMS * (1 - FALSE_ALARMS)) / of);
  return promise({ name, noise, sessions: of, measured: `${withError(share, of)}${more}`, goal: '<= 5 %', reached });
}

/** Typical and shared noise have a promise; the others show what it costs. */
function found(what: string, { noise, plantedPercent, outcomes }: Batch): Promised {
  const cells = outcomes.flatMap((outcome) => outcome.cells).filter(({ effect }) => effect !== 0);
  const share = shareOf(cells, ({ verdict, effect }) => verdict === (effect > 0 ? 'higher' : 'lower'));
  const isPromised = noise === noises.typical || noise === noises.shared;
  const least = !isPromised ? null : ({ 5: 0.9, 10: 0.95 }[plantedPercent] ?? null);
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

function roundsOf(outcomes: readonly PlayedSession[]): number {
  return meanOf(outcomes, ({ rounds }) => rounds);
}

function meanRounds(outcomes: readonly PlayedSession[]): string {
  return roundsOf(outcomes).toFixed(1);
}

function minutes(outcomes: readonly PlayedSession[]): string {
  return ((roundsOf(outcomes) * ROUND_SECONDS) / 60).toFixed(0);
}

const usage = `npm run bench:verdicts -- [kind ...] [options]

Plays simulated sessions, judges them as real ones, and prints what came out beside what is promised. Exit code 1 where a
promise is not kept.

  --part 0.1       this part of the sessions (by default 1; 5 plays at least 2,000 of each kind that has a promise)
  --seed 1000      the seed of the first session: fresh ones are those that no rule was chosen by
  --folder DIR     keeps what was played there, and goes on with it
  --minutes 30     begins nothing after that, and prints what there is

  npm run bench:verdicts -- decision "noisy arm" --folder results/verdicts --minutes 60`;

async function main(): Promise<void> {
  const options = {
    part: { type: 'string', default: '1' },
    seed: { type: 'string', default: '0' },
    folder: { type: 'string' },
    minutes: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals: kinds } = parseArgs({ options, allowPositionals: true });
  if (values.help) return console.log(usage);
  const part = Number(values.part);
  const all = verdictBatches({ single: 600 * part, sweep: 400 * part, stressed: 4000 * part });
  const unknown = kinds.find((kind) => !all.some((batch) => batch.kind === kind));
  if (unknown !== undefined || !(part > 0)) throw new Error(`${unknown ?? '--part'}: not known\n\n${usage}`);
  const plans = all.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  const outcomes = await playAll(plans, {
    firstSeed: Number(values.seed),
    kept: values.folder === undefined ? noneKept : keptIn(values.folder),
    until: values.minutes === undefined ? Infinity : performance.now() + 60_000 * Number(values.minutes),
    progress: (done, all) => console.error(`${done} of ${all} pieces`),
  });
  const found = promisesOf(plans.map((plan, i) => ({ ...plan, outcomes: outcomes[i] ?? [] })));
  const promises = found.filter(({ sessions }) => sessions > 0);
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

await main();
