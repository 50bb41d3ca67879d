import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { withControl } from '../../../src/judge/read/other-control.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { createTuneRule } from '../../../src/judge/tune/tune-rule.ts';
import { documentOf } from '../../../src/report/document.ts';
import { nextSteps } from '../../../src/report/words/next-steps.ts';
import { answerOf, recommendationOf } from '../../../src/report/words/recommendation.ts';
import { searchFacts } from '../../../src/report/words/search-words.ts';
import { landscapes } from '../../bench/tune/landscapes.ts';
import { ledByRule } from '../../bench/tune/own-session.ts';
import type { FixtureOptions } from '../journal-fixture.ts';
import { type Played, peak, play, sizeOf, tune } from './played-search.ts';

const stages = ({ records }: Played): (readonly [string, number[]])[] =>
  records.flatMap((record) =>
    record.type === 'proposed' ? [[record.stage, record.variants.map(({ name }) => sizeOf(name))] as const] : [],
  );

describe('a run that searches', () => {
  const played = play(30);

  it('tries settings over the range first, with what it takes to start them', () => {
    const [first] = played.decisions;
    expect(first?.proposed?.stage).toBe('search');
    expect(first?.proposed?.variants.length).toBeGreaterThanOrEqual(5);
    for (const variant of first?.proposed?.variants ?? [])
      expect(variant.env).toEqual({ POOL_MAX: String(variant.factors.pool) });
    expect(first?.search).toBeNull();
  });

  it('ends with a confirmation of the best in fresh rounds, and stops when these decide', () => {
    const all = stages(played);
    expect(all.length).toBeLessThanOrEqual(6);
    expect(all.slice(0, -1).every(([stage]) => stage === 'search')).toBe(true);
    const [stage, confirmed] = all.at(-1) ?? ['', []];
    expect(stage).toBe('confirm');
    for (const size of confirmed) expect(peak(size)).toBeGreaterThan(-0.06);
    expect(played.decisions.at(-1)?.stop).toBe(true);
    const { comparisons, run, recommended } = summarize({ ...played, warnings: [] });
    expect(confirmed.map((size) => `pool=${size}`)).toContain(recommended.variant);
    const rates = comparisons.filter(({ metric }) => metric === 'requests_per_s');
    expect(rates.map(({ verdict }) => verdict)).toEqual(confirmed.map(() => 'higher'));
    expect(run.rounds).toBeGreaterThanOrEqual(5);
    expect(run.rounds).toBeLessThan(played.decisions.length - 1);
  });

  it('says the best so far with the range of its model, and what is left to gain', () => {
    const { search } = played.decisions.find((one) => one.search != null) ?? {};
    expect(search?.range[0]).toBeLessThan(search?.percent ?? 0);
    expect(search?.range[1]).toBeGreaterThan(search?.percent ?? 0);
    expect(search?.percent).toBeGreaterThan(5);
    expect(search?.gainPercent).toBeGreaterThanOrEqual(0);
  });

  it('keeps the control where nothing is better, and says so by a confirmation', () => {
    const flat = play(30, { truth: () => 0 });
    expect(stages(flat).at(-1)?.[0]).toBe('confirm');
    const { recommended, recommendation, comparisons } = summarize({ ...flat, warnings: [] });
    expect([recommended.variant, recommendation[0]?.state]).toEqual(['pool=10', 'decided']);
    expect(comparisons.map(({ verdict }) => verdict)).not.toContain('higher');
  });

  it('keeps the last rounds of its budget for the confirmation', () => {
    const { decisions } = play(6, { roundsLeft: (round) => 8 - round, own: { noise: 0.2 } });
    const confirming = decisions.findIndex(({ proposed }) => proposed?.stage === 'confirm');
    expect(confirming).toBeGreaterThan(0);
    expect(8 - confirming).toBeGreaterThanOrEqual(3);
  });

  it('with one slot tries one setting after another, and confirms one that is near the best', () => {
    const all = stages(play(60, { slots: 1 }));
    const tried = all.flatMap(([stage, sizes]) => (stage === 'search' ? sizes : []));
    expect(new Set(tried.slice(0, 4)).size).toBe(4);
    const [stage, [confirmed = 1, ...more]] = all.at(-1) ?? ['', []];
    expect([stage, more]).toEqual(['confirm', []]);
    expect(peak(confirmed)).toBeGreaterThan(-0.06);
  });

  it('ends its confirmation after the last look, however open it is', () => {
    const roundsLeft = (round: number): number => (round === 1 ? 1 : Number.POSITIVE_INFINITY);
    const { decisions } = play(44, { truth: () => 0, own: { noise: 0.3 }, sizes: [10, 14, 20, 30], roundsLeft });
    expect(decisions[1]?.proposed?.stage).toBe('confirm');
    expect(decisions.findIndex(({ isOver }) => isOver)).toBe(1 + 40);
    expect(decisions.filter(({ stop }) => stop)).toEqual([]);
  });

  it('decides the same of a whole journal as round by round', () => {
    const again = createTuneRule(played.run, tune).after(played.records);
    expect(again).toEqual(played.decisions.at(-1));
  });

  it('tries nothing again that was refused', () => {
    const rule = createTuneRule(played.run, tune);
    const [first] = played.decisions;
    const refused = first?.proposed?.variants[0]?.name ?? '';
    const before = played.records.slice(0, played.records.findIndex(({ type }) => type === 'round') + 1);
    const [proposed, ...rest] = before;
    if (proposed?.type !== 'proposed') throw new Error('no proposal');
    const own = rest.filter((record) => record.type !== 'slice' || record.variant !== refused);
    const { proposed: next } = rule.after([
      proposed,
      { type: 'refused', round: 1, variant: refused, reason: 'no' },
      ...own,
    ]);
    expect(next?.variants.map(({ name }) => name)).not.toContain(refused);
  });

  it('has its search and its confirmation under another control, too, and no command for the planned one', () => {
    const journal = { ...played, warnings: [] };
    const own = summarize(journal);
    const [first = ''] = own.search?.confirmed?.map(({ variant }) => variant) ?? [];
    const other = summarize(withControl(journal, first));
    expect(other.run).toMatchObject({ control: first, plannedControl: 'pool=10', rounds: own.run.rounds });
    expect(other.search).toEqual(own.search);
    const planned = other.comparisons.find((one) => one.variant === 'pool=10' && one.metric === 'requests_per_s');
    expect(planned?.verdict).toBe('lower');
    const { headline, details } = documentOf(other);
    expect(headline.join(' ')).toContain('only the rounds after it count.');
    expect(details.map(({ title }) => title)).toContain('The search');
    for (const { command } of nextSteps(other)) expect(command ?? '').not.toContain('--budget');
    expect(() => withControl(journal, 'pool=3')).toThrow('no variant of this run is named "pool=3"');
  });

  it('confirms the others where one is refused in the confirmation, and names it with the reason', () => {
    const second = play(40, {
      refused: (size, stage) => stage === 'confirm' && size === Math.max(...(stages(played).at(-1)?.[1] ?? [])),
    });
    const asked = stages(second).at(-1)?.[1] ?? [];
    expect(asked.length).toBeGreaterThan(1);
    expect(second.decisions.at(-1)?.stop).toBe(true);
    const { search, run } = summarize({ ...second, warnings: [] });
    const left = asked.filter((size) => size !== Math.max(...asked)).map((size) => `pool=${size}`);
    expect(run.variants).toEqual(['pool=10', ...left]);
    expect(search?.confirmed?.map(({ variant }) => variant)).toEqual(left);
    expect(search?.trials.flatMap(({ variant, refused }) => (refused ? [`${variant}: ${refused}`] : []))).toEqual([
      `pool=${Math.max(...asked)}: too many`,
    ]);
  });

  it('keeps the control after one round of its own where every other setting was refused', () => {
    const refused = play(30, { refused: () => true, sizes: [10, 14, 20, 30] });
    expect(stages(refused).at(-1)).toEqual(['confirm', []]);
    const confirming = refused.decisions.findIndex(({ proposed }) => proposed?.stage === 'confirm');
    expect(refused.decisions.slice(0, confirming + 1).map(({ search }) => search)).toEqual(
      Array.from({ length: confirming + 1 }, () => null),
    );
    expect(refused.decisions.length).toBe(confirming + 2);
    expect(refused.decisions.at(-1)).toMatchObject({ stop: true, undecided: 0 });
    const summary = summarize({ ...refused, warnings: [] });
    expect([summary.run.rounds, summary.recommended.variant]).toEqual([1, 'pool=10']);
    expect(summary.search).toMatchObject({ best: null, curves: [] });
    expect(answerOf(summary)).toBe(
      'Keep the control, pool=10: server or service refused all 3 other settings that the search tried.',
    );
    expect(recommendationOf(summary)).toEqual(['25 connections: keep pool=10.']);
    expect(nextSteps({ ...summary, run: { ...summary.run, complete: true } })).toEqual([
      { text: 'It is decided which setting to take: no other is left to compare it with.', command: null },
    ]);
  });

  it('has no change of a setting that was refused in its curve', () => {
    const [first] = played.decisions;
    const some = play(30, { refused: (size) => first?.proposed?.variants[0]?.name === `pool=${size}` });
    const { trials = [], curves = [] } = summarize({ ...some, warnings: [] }).search ?? {};
    const values = curves.flatMap(({ points }) => points.map(({ value }) => value));
    const out = trials.flatMap(({ refused, factors }) => (refused === undefined ? [] : [factors.pool]));
    expect(out.length).toBeGreaterThan(0);
    expect(values.filter((value) => out.includes(value))).toEqual([]);
    expect(values).toContain(10);
  });

  it('tries nothing a third time whose slices are discarded', () => {
    const voided: FixtureOptions['voided'] = ({ variant }) => (sizeOf(variant) === 25 ? ['failed requests'] : []);
    const { records } = play(12, { own: { voided, noise: 0.03 } });
    const times = records.filter(
      (record) => record.type === 'proposed' && record.variants.some(({ name }) => name === 'pool=25'),
    );
    expect(times.length).toBeLessThanOrEqual(2);
  });

  it('searches for the lowest where less is better', () => {
    const run = { ...played.run, scenario: { ...played.run.scenario, judge: 'mean_ms' as const } };
    const records = played.records.slice(0, played.records.findIndex(({ type }) => type === 'round') + 1);
    const { search, proposed } = createTuneRule(run, tune).after(records);
    // Little's law: the pool with the highest rate has the lowest mean latency.
    const best = search?.best ?? proposed?.variants[0]?.name ?? '';
    expect(peak(sizeOf(best))).toBeGreaterThan(peak(10) - 0.05);
    expect(search?.percent ?? 1).toBeLessThan(0);
  });

  describe('of which the control alone keeps the limits', () => {
    // Only a pool of 10 needs less than 0.4 cores.
    const probes: FixtureOptions['probes'] = ({ variant, round }) => ({
      processes: { service_cpu_cores: (sizeOf(variant) === 10 ? 0.3 : 0.9) * (1 + (round % 3) / 50) },
    });
    const alone = play(60, { own: { probes }, keep: [{ metric: 'service_cpu', most: 0.4 }], sizes: [10, 14, 20, 30] });

    it('ends with the control before its rounds do, and says so by a bound from fresh rounds', () => {
      expect(stages(alone).at(-1)).toEqual(['confirm', []]);
      expect(alone.decisions.at(-1)?.stop).toBe(true);
      expect(alone.decisions.length).toBeLessThan(30);
      const confirming = alone.decisions.findIndex(({ proposed }) => proposed?.stage === 'confirm');
      const young = alone.decisions.slice(confirming + 1, confirming + 5);
      expect(young.map(({ undecided }) => undecided > 0)).toEqual([true, true, true, true]);
      const summary = summarize({ ...alone, warnings: [] });
      expect([summary.recommended.variant, summary.run.variants]).toEqual(['pool=10', ['pool=10']]);
      expect(summary.kept).toMatchObject([{ variant: 'pool=10', metric: 'service_cpu', most: 0.4 }]);
      expect(answerOf(summary)).toBe('Keep the control, pool=10: the search left no other setting that can be taken.');
      expect(searchFacts(summary).join(' ')).toMatch(/pool=10, each bound one-sided at 95 %: CPU at most 0\.3/);
    });

    it('takes nothing before its last rounds have shown that', () => {
      const confirms = alone.records.findIndex((record) => record.type === 'proposed' && record.stage === 'confirm');
      for (const end of [confirms, confirms + 2]) {
        const { recommended, recommendation, kept } = summarize({
          ...alone,
          records: alone.records.slice(0, end),
          warnings: [],
        });
        expect([recommended.variant, recommendation[0]?.state, kept]).toEqual([null, 'none', undefined]);
      }
    });
  });

  it('measures what each change gives, once the setting to take is known, and judges settings alone', () => {
    const planted = landscapes['two of five'](createRandom(3));
    const { run, records } = ledByRule(planted, 'quiet', { seed: 3, random: createRandom(4), parts: true });
    const [first, last, ...more] = records.filter((record) => record.type === 'proposed' && record.stage === 'confirm');
    if (first?.type !== 'proposed' || last?.type !== 'proposed') throw new Error('not proposed twice');
    expect(more).toEqual([]);
    const judged = first.variants.map(({ name }) => name);
    const { parts = [] } = last;
    expect(last.variants.map(({ name }) => name)).toEqual([...judged, ...parts]);
    expect(parts.length).toBeGreaterThan(1);
    const rounds = (from: number, to: number) =>
      records.filter((one) => one.type === 'round' && one.round > from && one.round <= to).length;
    expect(rounds(last.round, Number.POSITIVE_INFINITY)).toBe(5);
    const until = records.indexOf(last);
    const decided = (roundsLeft?: number, own: Partial<typeof run.scenario> = {}) =>
      createTuneRule({ ...run, scenario: { ...run.scenario, ...own } }, run.scenario.tune ?? { factors: [] }).after(
        records.slice(0, until),
        false,
        roundsLeft,
      );
    expect(decided()).toMatchObject({ stop: false, proposed: { parts } });
    expect(decided().proposed).not.toHaveProperty('changes');
    // The pool, f0, and then memory, f1, give most by the model.
    const one = decided(undefined, { slots: judged.length + 1 }).proposed;
    expect(one).toMatchObject({ parts: [parts[0]], changes: { of: parts.length } });
    const without = (place: number) => last.variants.find(({ name }) => name === parts[place])?.factors;
    expect([without(0)?.f1, without(1)?.f0]).toEqual([3, 9]);
    const { rounds: limits } = run.scenario;
    for (const [more, stop] of [
      [4, true],
      [5, false],
    ] as const)
      expect(decided(undefined, { rounds: { ...limits, max: last.round + more } }).stop).toBe(stop);
    // More arms take longer: there is no room for five of their rounds.
    expect(decided(5)).toMatchObject({ stop: true, undecided: 0 });
    expect(decided(5)).not.toHaveProperty('proposed');
    const summary = summarize({ run, records, warnings: [] });
    // All rounds of the confirmation are judged, and the parts are not.
    expect(summary.run.rounds).toBe(rounds(first.round, last.round) + 5);
    expect(summary.run.variants).toEqual([run.scenario.control, ...judged]);
    expect(summary.search?.confirmed?.map(({ variant }) => variant)).toEqual(judged);
    expect(judged).toContain(summary.recommended.variant);
    for (const { variant, rounds: own } of summary.search?.trials ?? [])
      if (!judged.includes(variant)) expect(own).toBeGreaterThan(0);
    // The pool and memory do something, and nothing else does.
    expect(summary.gains?.slice(0, 2).map(({ factor }) => factor)).toEqual(['f1', 'f0']);
    expect(summary.gains?.map((gain) => gain.rounds)).toEqual(parts.map(() => 5));
    for (const { factor, interval } of summary.gains ?? [])
      if (factor === 'f0' || factor === 'f1') expect(interval[0]).toBeGreaterThan(0);
      else expect(interval[0] * interval[1]).toBeLessThan(0);
  });

  it('ends with the control where all others are refused', () => {
    const { decisions, ...rest } = play(30, { refused: () => true, sizes: [10, 14, 20] });
    expect(decisions.at(-1)?.stop).toBe(true);
    expect(summarize({ ...rest, warnings: [] }).recommended.variant).toBe('pool=10');
  });

  it('names the setting that misses its limits by least where none keeps them, the control neither', () => {
    const probes: FixtureOptions['probes'] = ({ variant, round }) => ({
      processes: { service_cpu_cores: (1 + sizeOf(variant) / 100) * (1 + (round % 3) / 50) },
    });
    const options = { own: { probes }, keep: [{ metric: 'service_cpu', most: 0.5 }] };
    const none = play(26, { ...options, sizes: [4, 10, 20, 30], roundsLeft: (round) => 20 - round });
    expect(stages(none).at(-1)).toEqual(['confirm', [4]]);
    expect(summarize({ ...none, warnings: [] }).recommendation[0]?.notes).toMatchObject([
      { kind: 'none-sustained', nearest: { variant: 'pool=4' } },
    ]);
  });

  it('does not try what breaks a limit again, confirms the best that probably keeps it, and takes that', () => {
    // The best of all, 25, needs 0.83 cores.
    const probes: FixtureOptions['probes'] = ({ variant, round }) => ({
      processes: { service_cpu_cores: (sizeOf(variant) / 30) * (1 + (round % 3) / 50) },
    });
    const keep = [{ metric: 'service_cpu', most: 0.7 }];
    const limited = play(40, { own: { probes }, keep });
    const [stage, confirmed = []] = stages(limited).at(-1) ?? [];
    expect(stage).toBe('confirm');
    for (const size of confirmed) expect(size).toBeLessThan(22);
    expect(Math.max(...confirmed)).toBeGreaterThanOrEqual(14);
    // Those far above are tried while points are spread, and then no more.
    const times = stages(limited).filter(([, sizes]) => sizes.some((size) => size >= 50));
    expect(times.length).toBeLessThanOrEqual(2);
    const { search, recommendation } = summarize({ ...limited, warnings: [] });
    const broken = search?.trials.filter(({ breaks }) => breaks).map(({ factors }) => Number(factors.pool)) ?? [];
    expect(Math.min(...broken)).toBeGreaterThan(21);
    expect(Math.max(...broken)).toBeGreaterThan(45);
    expect(confirmed.map((size) => `pool=${size}`)).toContain(recommendation[0]?.keep);
  });
});
