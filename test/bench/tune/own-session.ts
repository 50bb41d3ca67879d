import { createRandom, type Random, seedOf } from '../../../src/base/random.ts';
import type { JournalRecord, RunRecord } from '../../../src/journal/records.ts';
import type { TuneSpec } from '../../../src/journal/tune/tune-spec.ts';
import { pointOfVariant, variantAt } from '../../../src/journal/tune/variant-at.ts';
import { summarize } from '../../../src/judge/summary.ts';
import type { Point } from '../../../src/judge/tune/space.ts';
import { createTuneRule } from '../../../src/judge/tune/tune-rule.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { type LandscapeName, landscapes, type NoiseName, noiseOf, noises, type Planted } from './landscapes.ts';
import { CONFIRM, mostOf, type Outcome, SLOTS } from './session.ts';

interface Led {
  readonly run: RunRecord;
  readonly records: readonly JournalRecord[];
  /** In full rounds. */
  readonly spent: { readonly search: number; readonly confirm: number };
  truthOf(variant: string): number;
}

/** A whole session as the product's rule leads it, until it is decided which setting to take, or with `parts` to its end. */
export function ledByRule(
  { space, control, truth }: Planted,
  noise: NoiseName,
  { seed, random, parts = false }: { readonly seed: number; readonly random: Random; readonly parts?: boolean },
): Led {
  const tune: TuneSpec = {
    factors: space.factors.map(({ size, places }, factor) => ({
      ...{ name: `f${factor}`, env: `F${factor}`, values: Array.from({ length: size }, (_, value) => value) },
      ...(places && { places }),
    })),
  };
  const controlVariant = variantAt(tune, control);
  const points = new Map<string, Point>([[controlVariant.name, control]]);
  const truthOf = (name: string): number => truth(points.get(name) ?? control);
  const played = (variants: readonly string[], round: number) => {
    const level = 0.1 * random.next();
    return fixtureJournal({
      ...{ variants, control: controlVariant.name, connections: [25], rounds: 1, noise: 0, end: null },
      effect: ({ variant }) => level + truthOf(variant) + noiseOf(random, noises[noise]),
      seed: seedOf(seed, round),
    });
  };
  const { run: fixture } = played([controlVariant.name], 0);
  const scenario = { ...fixture.scenario, variants: [controlVariant], slots: SLOTS, tune, question: 'best' as const };
  const run: RunRecord = { ...fixture, seed, scenario };
  const rule = createTuneRule(run, tune);
  const records: JournalRecord[] = [];
  let fresh: JournalRecord[] = [];
  let measured = [controlVariant.name];
  let isConfirming = false;
  const spent = { search: 0, confirm: 0, confirmRounds: 0 };
  for (let round = 1; ; round++) {
    const isEnd = spent.confirmRounds === CONFIRM.most;
    const { stop, proposed } = rule.after(fresh, isEnd);
    if (stop || isEnd || (proposed?.parts && !parts)) break;
    if (proposed !== undefined) {
      isConfirming = proposed.stage === 'confirm';
      for (const variant of proposed.variants) points.set(variant.name, pointOfVariant(tune, variant) ?? control);
      measured = [controlVariant.name, ...proposed.variants.map(({ name }) => name)];
    }
    fresh = [
      ...(proposed ? [{ type: 'proposed', round: round - 1, ...proposed } as const] : []),
      ...played(measured, round).records.map((record) => ('round' in record ? { ...record, round } : record)),
    ];
    records.push(...fresh);
    spent[isConfirming ? 'confirm' : 'search'] += (measured.length + 1) / (SLOTS + 2);
    if (isConfirming) spent.confirmRounds++;
  }
  return { run, records, spent, truthOf };
}

/** A session that the product's rule leads, and whose setting its report takes. */
export function playOwn([landscape, noise]: readonly [LandscapeName, NoiseName], seed: number): Outcome {
  const random = createRandom(seedOf(seed, landscape, noise));
  const planted: Planted = landscapes[landscape](random);
  const { run, records, spent, truthOf } = ledByRule(planted, noise, { seed, random });
  const { recommended, comparisons } = summarize({ run, records, warnings: [] });
  const better = comparisons.filter(({ metric, verdict }) => metric === 'requests_per_s' && verdict === 'higher');
  return {
    regret: mostOf(planted.space, planted.truth) - truthOf(recommended.variant ?? run.scenario.control),
    searchRounds: spent.search,
    confirmRounds: spent.confirm,
    isFalse: better.some(({ variant }) => truthOf(variant) <= planted.truth(planted.control)),
    keepsControl: recommended.variant === run.scenario.control,
  };
}
