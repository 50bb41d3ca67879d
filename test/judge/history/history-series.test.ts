import { describe, expect, it } from 'vitest';
import { type HistoryPoint, pointOf } from '../../../src/judge/history/history-point.ts';
import { type HistorySeries, historySeries, type SeriesChoice } from '../../../src/judge/history/history-series.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { historyText } from '../../../src/report/history-plot.ts';
import { fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

const commit = { commit: 'a'.repeat(40), committedAt: '2026-01-31T10:00:00Z', subject: null };
const journal = fixtureJournal({ ...small, rounds: 5, connections: [1, 25] });
const measured = pointOf(summarize(journal), commit);

/** Runs of one scenario, a commit each. */
function history(...changes: readonly Partial<HistoryPoint>[]): HistoryPoint[] {
  return changes.map((change, index) => ({
    ...measured,
    run: `run-${index}`,
    commit: String(index).repeat(40),
    ...change,
  }));
}

function seriesOf(points: readonly HistoryPoint[], choice: Partial<SeriesChoice> = {}): HistorySeries {
  return historySeries(points, {
    scenario: null,
    metric: 'requests_per_s',
    variant: null,
    load: null,
    change: false,
    ...choice,
  });
}

function runsIn({ points }: HistorySeries): string[] {
  return points.map(({ point }) => point.run);
}

describe('what the last run has not', () => {
  const [cell] = measured.levels;
  const removed: Partial<HistoryPoint> = { levels: measured.levels.slice(0, 1), changes: [] };

  it('is drawn from the runs that have it, and how many came after them is said', () => {
    expect(cell).toMatchObject({ variant: 'a', load: '1 connection' });
    const points = history({}, {}, removed, removed);
    const variant = seriesOf(points, { variant: 'b' });
    expect([runsIn(variant), variant.load, variant.since]).toEqual([['run-0', 'run-1'], '25 connections', 2]);
    const load = seriesOf(points, { load: '25' });
    expect([runsIn(load), load.variant]).toEqual([['run-0', 'run-1'], 'a']);
    expect(historyText(load, 80)).toContain(
      '\n2 runs since the last point, without requests_per_s of a with 25 connections.\n',
    );
    expect(seriesOf(points)).toMatchObject({ variant: 'a', load: '1 connection', since: 0 });
    expect(() => seriesOf(points, { variant: 'c' })).toThrow('the history has no variant c');
  });
});

describe('a run of several commits', () => {
  const against = { refs: ['b'], carry: [], own: [] };
  const asMeasured = (): HistoryPoint => {
    const summary = summarize(fixtureJournal({ ...small, rounds: 5, variants: ['b', 'branch'], control: 'b' }));
    return pointOf({ ...summary, run: { ...summary.run, against } }, commit);
  };

  it('stands at the commit of its own folder, and shows that by default', () => {
    const point = asMeasured();
    const series = seriesOf([point]);
    const own = point.levels.find(({ variant }) => variant === 'branch');
    expect([series.variant, series.points[0]?.value, series.otherCommit]).toEqual([
      'branch',
      own?.metrics.requests_per_s,
      0,
    ]);
    const other = seriesOf([point], { variant: 'b' });
    expect(historyText(other, 80)).toContain('1 run beside the commit that is named: b is another one.\n');
  });
});

describe('a run without values', () => {
  const summary = summarize(journal);

  it('is refused with its reason', () => {
    const added = (own: Partial<Summary>) => () => pointOf({ ...summary, averages: [], ...own }, commit);
    const capacity = { of: 'connections', from: 1, to: 9, until: [], arms: [], comparisons: [], repeat: null } as const;
    expect(added({ capacity })).toThrow('the run asked for a capacity: ');
    const search = { rounds: 2, confirmed: null, best: null, trials: [], curves: [] };
    expect(added({ search })).toThrow('its search has confirmed no setting yet');
    expect(added({})).toThrow('none of its load levels has values that count');
  });

  it('is left out where an earlier version added it, last of all or not, and counted', () => {
    const none = { levels: [], changes: [] };
    const series = seriesOf(history(none, {}, {}, none));
    expect([runsIn(series), series.withoutValues, series.since]).toEqual([['run-1', 'run-2'], 2, 0]);
    expect(historyText(series, 80)).toContain('\n2 runs without values left out.\n');
    expect(() => seriesOf(history(none))).toThrow('run run-0 has no values');
  });
});

describe('the work of the runs of a history', () => {
  it('leaves out runs that did other work than the last one, and says how many', () => {
    const series = seriesOf(history({ work: 'other' }, {}, { work: 'third' }, {}));
    expect([runsIn(series), series.otherWork]).toEqual([['run-1', 'run-3'], 2]);
    expect(historyText(series, 80)).toContain('\n2 runs with other requests than the last one left out.\n');
  });

  it('takes runs that do not know theirs for the same, and says so', () => {
    const { work: _, ...old } = measured;
    const points = [{ ...old, run: 'old' }, ...history({ work: 'other' }, {}), { ...old, run: 'older program' }];
    const series = seriesOf(points);
    expect([runsIn(series), series.otherWork]).toEqual([['old', 'run-1', 'older program'], 1]);
    expect(historyText(series, 80)).toContain(
      '\n2 runs without a record of the requests: pgsweep takes them for the same.\n',
    );
  });

  it('keeps runs on another data set, which a commit may have changed, and says how many', () => {
    const series = seriesOf(history({ dataSet: 'before' }, {}));
    expect([runsIn(series), series.otherDataSet]).toEqual([['run-0', 'run-1'], 1]);
    expect(historyText(series, 80)).toContain('1 run on another data set than the last one: ');
  });

  it('goes by the requests, whoever sends them', () => {
    const workOf = (path: string, headers: Record<string, string>): string | undefined => {
      const { run, ...records } = journal;
      const request = { name: 'read', weight: 1, method: 'GET', path, headers, body: null } as const;
      const workload = { kind: 'requests', requests: [request] } as const;
      const load = { ...run.scenario.load, workload };
      return pointOf(summarize({ ...records, run: { ...run, scenario: { ...run.scenario, load } } }), commit).work;
    };
    const read = workOf('/items', {});
    expect(workOf('/items', { authorization: 'me' })).toBe(read);
    expect(workOf('/items?limit=500', {})).not.toBe(read);
    expect([measured.work, measured.dataSet]).toEqual([expect.any(String), 'abc123']);
  });
});
