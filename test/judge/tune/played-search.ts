import type { JournalRecord, RunRecord } from '../../../src/journal/records.ts';
import type { TuneSpec } from '../../../src/journal/tune/tune-spec.ts';
import { variantAt } from '../../../src/journal/tune/variant-at.ts';
import { createTuneRule } from '../../../src/judge/tune/tune-rule.ts';
import type { StopDecision, StopRule } from '../../../src/judge/verdicts/stop-rule.ts';
import { valuesBetween } from '../../../src/scenario/tune/range-values.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

const range = valuesBetween(1, 100);
if (typeof range === 'string') throw new Error(range);
export const tune: TuneSpec = { factors: [{ name: 'pool', env: 'POOL_MAX', ...range }] };
const sizes = range.values.map(Number);
const all = sizes.map((_, place) => variantAt(tune, [place]));
const control = all[sizes.indexOf(10)];
if (control === undefined) throw new Error('no control');

/** A pool of 25 is best; half the pool or twice of it loses 10 %. */
export const peak = (size: number): number => -0.1 * Math.log2(size / 25) ** 2;
export const sizeOf = (name: string): number => Number(name.slice('pool='.length));

export interface Played {
  readonly run: RunRecord;
  readonly records: readonly JournalRecord[];
  readonly decisions: readonly StopDecision[];
}

export interface PlayOptions {
  readonly truth?: (size: number) => number;
  readonly roundsLeft?: (round: number) => number;
  /** Pools that are refused in the round after that proposal, by its stage. */
  readonly refused?: (size: number, stage: string) => boolean;
  readonly own?: FixtureOptions;
  readonly keep?: NonNullable<TuneSpec['keep']>;
  /** How many settings a round tries; 6 if absent. */
  readonly slots?: number;
  /** The pools of the space, the control's 10 among them; those from 1 to 100 if absent. */
  readonly sizes?: readonly number[];
}

/** A run of a pool from 1 to 100 as the rule leads it, until it stops or has had those rounds. */
export function play(
  rounds: number,
  {
    truth = peak,
    roundsLeft,
    refused = () => false,
    own = {},
    keep,
    slots = 6,
    sizes: asked = sizes,
  }: PlayOptions = {},
): Played {
  const names = all.map(({ name }) => name);
  const effect: FixtureOptions['effect'] = ({ variant }) => truth(sizeOf(variant));
  const whole = fixtureJournal({
    ...{ variants: names, control: 'pool=10', connections: [25], rounds, noise: 0.015, effect, end: null, ...own },
  });
  const factors = tune.factors.map(({ values, places = [], ...factor }) => ({
    ...factor,
    values: values.filter((size) => asked.includes(Number(size))),
    places: places.filter((_, place) => asked.includes(sizes[place] ?? 0)),
  }));
  const space: TuneSpec = { factors, ...(keep && { keep }) };
  const scenario = {
    ...whole.run.scenario,
    variants: [control ?? variantAt(tune, [0])],
    slots,
    tune: space,
    question: 'best' as const,
  };
  const run: RunRecord = { ...whole.run, scenario };
  const rule: StopRule = createTuneRule(run, space);
  const records: JournalRecord[] = [];
  const decisions: StopDecision[] = [];
  let fresh: JournalRecord[] = [];
  let measured = new Set(['pool=10']);
  for (let round = 0; ; round++) {
    const decision = rule.after(fresh, false, roundsLeft?.(round));
    decisions.push(decision);
    if (decision.stop || round === rounds) return { run, records, decisions };
    const { proposed } = decision;
    const out =
      proposed?.variants.filter(({ name }) => refused(sizeOf(name), proposed.stage)).map(({ name }) => name) ?? [];
    if (proposed !== undefined)
      measured = new Set([
        'pool=10',
        ...proposed.variants.map(({ name }) => name).filter((name) => !out.includes(name)),
      ]);
    const ofRound = whole.records.filter(
      (record) =>
        'round' in record && record.round === round + 1 && (record.type !== 'slice' || measured.has(record.variant)),
    );
    fresh = [
      ...(proposed ? [{ type: 'proposed', round, ...proposed } as const] : []),
      ...out.map((variant) => ({ type: 'refused', round: round + 1, variant, reason: 'too many' }) as const),
      ...ofRound,
    ];
    records.push(...fresh);
  }
}
