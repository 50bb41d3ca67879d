import { expect, it } from 'vitest';
import type { TuneSpec } from '../../../src/journal/tune/tune-spec.ts';
import { variantAt } from '../../../src/journal/tune/variant-at.ts';
import { summarizeSearch } from '../../../src/judge/tune/summarize-search.ts';
import { fixtureJournal } from '../journal-fixture.ts';

it('names the index that the control hides where a confirmed setting shows it', () => {
  const tune: TuneSpec = { factors: [{ name: 'ix', hideIndex: 'ix_a', values: ['shown', 'hidden'] }] };
  const confirmed = (own: number, other: number) => {
    const control = variantAt(tune, [own]);
    const { run } = fixtureJournal({ variants: [control.name], control: control.name, rounds: 0 });
    const scenario = { ...run.scenario, variants: [control], tune, slots: 1 };
    const variants = [variantAt(tune, [other], control)];
    const records = [{ type: 'proposed', round: 0, stage: 'confirm', variants } as const];
    return summarizeSearch({ run: { ...run, scenario }, records })?.confirmed;
  };
  expect(confirmed(1, 0)).toEqual([{ variant: 'ix=shown', env: {}, settings: {}, hideIndex: [], showIndex: ['ix_a'] }]);
  expect(confirmed(0, 1)).toEqual([{ variant: 'ix=hidden', env: {}, settings: {}, hideIndex: ['ix_a'] }]);
});
