import { describe, expect, it } from 'vitest';
import { lineUpAfter, plannedLineUp, scenarioWith } from '../../../src/journal/line-up.ts';
import type { ProposedRecord } from '../../../src/journal/proposal-records.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { judgedRun } from '../../../src/judge/read/judged-run.ts';
import { withControl } from '../../../src/judge/read/other-control.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { type FixtureJournal, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

const names = ['pool=10', 'pool=6', 'pool=12', 'pool=90'];
/** In the search `pool=12` was lucky, and in fresh rounds it is worth 20 %. */
const effect: FixtureOptions['effect'] = ({ variant, round }) =>
  variant === 'pool=12' ? (round <= 6 ? 0.5 : 0.2) : variant === 'pool=90' ? -0.4 : 0;
const options: FixtureOptions = {
  variants: names,
  control: 'pool=10',
  connections: [25],
  noise: 0.01,
  effect,
  end: null,
};

/** A journal of this many rounds, the last of them a confirmation of `pool=12`, where there is one. */
function tuned({
  rounds,
  confirmedAfter,
}: {
  readonly rounds: number;
  readonly confirmedAfter: number | null;
}): FixtureJournal {
  const { run, records, warnings } = fixtureJournal({ ...options, rounds });
  const [control, ...others] = run.scenario.variants;
  const proposed = (round: number, stage: ProposedRecord['stage'], named: readonly string[]): ProposedRecord => ({
    type: 'proposed',
    round,
    stage,
    variants: others.filter(({ name }) => named.includes(name)),
  });
  const isMeasured = (record: JournalRecord): boolean =>
    confirmedAfter === null ||
    record.type !== 'slice' ||
    record.round <= confirmedAfter ||
    ['pool=10', 'pool=12'].includes(record.variant);
  const all = records.filter(isMeasured).flatMap((record): JournalRecord[] => {
    const isLast = record.type === 'round' && record.round === confirmedAfter;
    return isLast ? [record, proposed(record.round, 'confirm', ['pool=12'])] : [record];
  });
  const scenario = { ...run.scenario, variants: control === undefined ? [] : [control], slots: 3 };
  return { run: { ...run, scenario }, records: [proposed(0, 'search', names), ...all], warnings };
}

describe('a run whose variants were proposed', () => {
  it('is judged by the rounds of its confirmation alone, with their own looks', () => {
    const journal = tuned({ rounds: 12, confirmedAfter: 6 });
    const data = aggregateRun(journal);
    expect(data.rounds).toEqual([7, 8, 9, 10, 11, 12]);
    expect(data.course.rounds).toBe(6);
    expect(data.scenario.variants.map(({ name }) => name)).toEqual(['pool=10', 'pool=12']);
    const found = summarize(journal, data);
    // As a run of these rounds would be judged that nothing came before.
    const alone = fixtureJournal({ ...options, rounds: 12 });
    const late = {
      ...alone,
      run: {
        ...alone.run,
        scenario: scenarioWith(journal.records.reduce(lineUpAfter, plannedLineUp), journal.run.scenario),
      },
      records: alone.records.filter(
        (record) =>
          !('round' in record && record.round <= 6) &&
          (record.type !== 'slice' || ['pool=10', 'pool=12'].includes(record.variant)),
      ),
    };
    const { slots: _, ...plain } = late.run.scenario;
    const expected = summarize({ ...late, run: { ...late.run, scenario: plain } });
    expect(found.comparisons).toEqual(expected.comparisons);
    const rate = found.comparisons.find(({ metric }) => metric === 'requests_per_s');
    expect(rate?.verdict).toBe('higher');
    expect(rate?.deltaPercent).toBeLessThan(25);
  });

  it('has no verdict before its confirmation, whatever the search saw', () => {
    const journal = tuned({ rounds: 12, confirmedAfter: null });
    const found = summarize(journal);
    expect(found.comparisons).toEqual([]);
    expect(found.run).toMatchObject({ rounds: 12, variants: ['pool=10'] });
  });

  it('is judged against a setting that was confirmed, too', () => {
    const journal = withControl(tuned({ rounds: 12, confirmedAfter: 6 }), 'pool=12');
    const { comparisons, run } = summarize(journal);
    const rate = comparisons.find(({ metric }) => metric === 'requests_per_s');
    expect([run.control, rate?.variant, rate?.verdict, run.rounds]).toEqual(['pool=12', 'pool=10', 'lower', 6]);
  });

  it('is read as often as one likes, and other runs as they are', () => {
    const { run, records } = judgedRun(tuned({ rounds: 12, confirmedAfter: 6 }));
    expect([...records]).toEqual([...records]);
    expect(run.scenario.variants).toHaveLength(2);
    const again = judgedRun({ run, records });
    expect([again.run, [...again.records]]).toEqual([run, [...records]]);
    const plain = fixtureJournal({ ...options, rounds: 4 });
    expect(judgedRun(plain)).toBe(plain);
  });
});
