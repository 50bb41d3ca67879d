import { describe, expect, it } from 'vitest';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { compareWork } from '../../../src/judge/verdicts/compare-work.ts';
import type { Comparison } from '../../../src/judge/verdicts/comparison.ts';
import { type Advantage, createAdvantages } from '../../../src/judge/verdicts/decision/advantage.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { notesWords } from '../../../src/report/words/note-words.ts';
import { type FixtureJournal, fixtureJournal } from '../journal-fixture.ts';

/** A page with some free space, which an image leaves out. */
const IMAGE_BYTES = 7900;
const WINDOW_MS = 4000;
const perSecond = 1000;
/** In every slice, whatever is served: each page has one. */
const IMAGES = 1000;
const FASTER = 1.3;

interface Wal {
  /** Bytes of records, for a request of the variant; the control has 500. */
  readonly records: number;
  readonly isCounted?: boolean;
}

/** A run of a variant that is faster, a request's WAL its records and its share of the images; of images as pg_stat_statements counts them. */
function runOf({ records, isCounted = true }: Wal): FixtureJournal {
  const factorOf = (variant: string): number => (variant === 'Changed' ? FASTER : 1);
  return fixtureJournal({
    variants: ['Control', 'Changed'],
    control: 'Control',
    connections: [1],
    rounds: 8,
    requestsPerSecond: perSecond,
    windowMs: WINDOW_MS,
    effect: ({ variant }) => Math.log(factorOf(variant)),
    work: ({ variant }) => {
      const requests = (perSecond * factorOf(variant) * (WINDOW_MS + 1000)) / 1000;
      const own = variant === 'Changed' ? records : 500;
      return { serviceCpuMs: 1, postgresCpuMs: 1, walBytes: own + (IMAGE_BYTES * IMAGES) / requests };
    },
    ...(isCounted && { probes: () => ({ 'pg-stat-statements': { statement_wal_images: IMAGES } }) }),
  });
}

function walOf(wal: Wal): Comparison {
  const found = summarize(runOf(wal)).comparisons.find(({ metric }) => metric === 'wal_bytes_per_request');
  if (found === undefined) throw new Error('no comparison of WAL bytes');
  return found;
}

describe('WAL bytes a request, beside images of whole pages', () => {
  it('have no verdict where images explain the change, since the faster arm has more requests for as many pages', () => {
    const wal = walOf({ records: 500 });
    expect(wal.verdict).toBe('noise');
    expect(wal.deltaPercent).toBeLessThan(-10);
    expect(wal.interval?.[1]).toBeGreaterThan(0);
    expect(notesWords(wal.notes)).toMatch(/full-page images in the WAL may be up to -17/);
  });

  it('have one where records differ by more than images can', () => {
    expect(walOf({ records: 1500 })).toMatchObject({ verdict: 'higher' });
  });

  it('have the one of their bytes where no images are counted', () => {
    expect(walOf({ records: 500, isCounted: false })).toMatchObject({ verdict: 'lower' });
  });

  it('pass and fail no gate that images would decide', () => {
    const texts = ['wal_bytes_per_request < -5%', 'wal_bytes_per_request > -5%', 'wal_bytes_per_request < +5%'];
    const outcomesOf = (isCounted: boolean): unknown[] => {
      const gates = texts.map(parseGate);
      const run = runOf({ records: 500, isCounted });
      return summarize(run, undefined, { gates, unclear: 'fail' }).gates.map(({ outcome }) => outcome);
    };
    expect(outcomesOf(false)).toEqual(['pass', 'fail', 'pass']);
    expect(outcomesOf(true)).toEqual(['unclear', 'unclear', 'pass']);
  });

  it('are no advantage of a setting that images would decide', () => {
    const advantageOf = (wal: Wal): Advantage | undefined => {
      const data = aggregateRun(runOf(wal));
      const headline = compareWork(data).filter(({ metric }) => metric.name === 'wal_bytes_per_request');
      const [first] = headline;
      return first && createAdvantages(data, first.metric, headline)('Control', ['Changed'], first.load)[0];
    };
    expect(advantageOf({ records: 500, isCounted: false })?.range?.[0]).toBeGreaterThan(0.1);
    const beside = advantageOf({ records: 500 });
    expect(beside?.range?.[0]).toBeLessThan(0);
    expect(beside?.range?.[1]).toBeGreaterThan(0.1);
    // Images are too few for that of records.
    expect(advantageOf({ records: 1500 })).toMatchObject({ isLower: true });
  });
});
