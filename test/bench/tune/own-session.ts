import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { JournalRecord, RunRecord } from '../../../src/journal/records.ts';
import type { TuneSpec } from '../../../src/journal/tune/tune-spec.ts';
import { pointOfVariant, variantAt } from '../../../src/journal/tune/variant-at.ts';
import { summarize } from '../../../src/judge/summary.ts';
import type { Point } from '../../../src/judge/tune/space.ts';
import { createTuneRule } from '../../../src/judge/tune/tune-rule.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { type LandscapeName, landscapes, type NoiseName, noiseOf, noises, type Planted } from './landscapes.ts';
import { CONFIRM, mostOf, type Outcome, SLOTS } from './session.ts';

/** A whole session as the product leads it: its rule proposes, ends the search and the confirmation, and its report takes a setting. */
export function playOwn([landscape, noise]: readonly [LandscapeName, NoiseName], seed: number): Outcome {
  const random = createRandom(seedOf(seed, landscape, noise));
  const planted: Planted = landscapes[landscape](random);
  const { space, control, truth } = planted;
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
    if (stop || isEnd) break;
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
  const { recommended, comparisons } = summarize({ run, records, warnings: [] });
  const better = comparisons.filter(({ metric, verdict }) => metric === 'requests_per_s' && verdict === 'higher');
  return {
    regret: mostOf(space, truth) - truthOf(recommended.variant ?? controlVariant.name),
    searchRounds: spent.search,
    confirmRounds: spent.confirm,
    isFalse: better.some(({ variant }) => truthOf(variant) <= truth(control)),
    keepsControl: recommended.variant === controlVariant.name,
  };
}
