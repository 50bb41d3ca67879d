import { describe, expect, it } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import { compareLevels } from '../../../src/judge/between-runs/levels.ts';
import { cellKey } from '../../../src/judge/between-runs/session-facts.ts';
import type { LevelDifference, SessionFacts } from '../../../src/judge/between-runs/types.ts';
import { namedMetrics } from '../../../src/judge/read/metrics/work-metrics.ts';
import { fixtureJournal, normal } from '../journal-fixture.ts';

const { run } = fixtureJournal({ rounds: 0 });
const load = { connections: 25 };

/** Levels of four sessions a side in a fair order; in head each metric is larger by so much. Values scatter by 0.02 %. */
function levelsOf(larger: Readonly<Record<string, number>>): LevelDifference[] {
  // Each metric has the same noise, whichever others there are.
  const randoms = new Map(Object.keys(larger).map((name) => [name, createRandom(seedOf(name))]));
  const all = [...'ABBAABBA'].map((letter, hour): SessionFacts & { readonly letter: string } => {
    const startMs = 3_600_000 * hour;
    const values = Object.entries(larger).map(
      ([name, by]) =>
        [
          name,
          1000 * (letter === 'B' ? 1 + by : 1) * Math.exp(0.0002 * normal(randoms.get(name) ?? createRandom(1))),
        ] as const,
    );
    const levels = new Map([[cellKey('x', load), { values: new Map(values), failures: { count: 0, among: 1000 } }]]);
    return {
      letter,
      place: `${letter}${hour}`,
      run,
      taken: { startMs, endMs: startMs + 3_000_000 },
      rounds: 6,
      course: { rounds: 6, ends: [6] },
      complete: true,
      extended: false,
      unfit: [],
      changes: new Map(),
      levels,
    };
  });
  const side = (letter: string): SessionFacts[] => all.filter((one) => one.letter === letter);
  const metrics = namedMetrics.filter(({ name }) => larger[name] !== undefined);
  const common = { metrics, variants: ['x'], loads: [load], margins: { work: 1, others: 5 } };
  return compareLevels({ base: side('A'), head: side('B') }, common, 4);
}

describe('levels of work per request', () => {
  it('are the same within 1 % also where the difference is certain, as in a run; a rate is higher', () => {
    const [rate, work] = levelsOf({ requests_per_s: 0.003, wal_bytes_per_request: 0.003 });
    expect(rate).toMatchObject({ metric: 'requests_per_s', verdict: 'higher' });
    expect(work).toMatchObject({ metric: 'wal_bytes_per_request', verdict: 'same' });
    const [larger] = levelsOf({ wal_bytes_per_request: 0.02 });
    expect(larger).toMatchObject({ verdict: 'higher' });
  });

  it('are one family, so that several of them have wider intervals; a rate beside them is none of it', () => {
    const wal = { wal_bytes_per_request: 0.02 };
    const widthWith = (others: Readonly<Record<string, number>>): number => {
      const found = levelsOf({ ...wal, ...others }).find(({ metric }) => metric === 'wal_bytes_per_request');
      return (found?.interval?.[1] ?? 0) - (found?.interval?.[0] ?? 0);
    };
    expect(widthWith({ blks_hit_per_request: 0, tup_inserted_per_request: 0 })).toBeGreaterThan(1.2 * widthWith({}));
    expect(widthWith({ requests_per_s: 0 })).toBe(widthWith({}));
  });
});
