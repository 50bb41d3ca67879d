import { describe, expect, it } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { notesWords } from '../../../src/report/words/note-words.ts';
import { fixtureJournal } from '../journal-fixture.ts';

/** A page with some free space, which an image leaves out. */
const IMAGE_BYTES = 7900;
const WINDOW_MS = 4000;
const perSecond = 1000;
/** In every slice, whatever is served: each page has one. */
const IMAGES = 1000;
const FASTER = 1.3;

/** WAL bytes of a variant that is faster, a request's records and its share of the images; of images as pg_stat_statements counts them. */
function walOf({ records, isCounted = true }: { readonly records: number; readonly isCounted?: boolean }) {
  const factorOf = (variant: string): number => (variant === 'Changed' ? FASTER : 1);
  const journal = fixtureJournal({
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
  const found = summarize(journal).comparisons.find(({ metric }) => metric === 'wal_bytes_per_request');
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
});
