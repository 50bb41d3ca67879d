import { innerMetric, type Metric, readingOf } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { mean } from '../stats/moments.ts';
import { besideOf, type Contrast } from './contrasts.ts';
import { type Judgement, type Rules, wouldStand } from './judge.ts';

/** The most that an image takes: a page. Without the page's free space it takes less. */
const PAGE_BYTES = 8192;

/** Images of whole pages in the WAL, for a request. */
const walImages = innerMetric('wal_images', ({ work: { walImages: images } }) =>
  readingOf(images === undefined || images.requests === 0 ? null : images.count / images.requests),
);

/**
 * A judgement of WAL bytes a request with what images of whole pages may be of it. A page has one for its first change
 * after a checkpoint, so that an arm which serves more requests has fewer for each. The interval then holds the change
 * with them and without them, and a verdict that needs them does not stand.
 */
export function judgedWithImages(
  data: RunData,
  { metric, contrast }: { readonly metric: Metric; readonly contrast: Contrast },
  judgement: Judgement,
  { marginPercent }: Pick<Rules, 'marginPercent'>,
): Judgement {
  const { interval, verdict, notes } = judgement;
  if (metric.name !== 'wal_bytes_per_request' || interval === null) return judgement;
  const { control, cell } = contrast;
  const meanOf = (of: typeof metric, arms: typeof control): number =>
    mean([...data.series(of, arms, besideOf(data, contrast)).byRound.values()].map(({ value }) => value));
  const moreImages = meanOf(walImages, [cell]) - meanOf(walImages, control);
  const percent = (100 * PAGE_BYTES * moreImages) / meanOf(metric, control);
  if (!(Math.abs(percent) > 0)) return judgement;
  const both = [interval[0] - Math.max(0, percent), interval[1] - Math.min(0, percent)] as const;
  const stands = wouldStand(verdict, both, marginPercent);
  return {
    ...judgement,
    interval: both,
    verdict: stands ? verdict : 'noise',
    notes: stands ? notes : [...notes, { kind: 'page-images', percent }],
  };
}
