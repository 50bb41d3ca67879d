import { mean } from './moments.ts';
import { mserTruncation } from './mser.ts';
import { studentTQuantile } from './student-t.ts';

/** Half of them must be flat, and fewer than 4 have no slope to speak of. */
const MIN_BATCHES = 8;

/**
 * Two-sided. A false slope costs a batch more of warm-up, an overlooked one a bias that both arms share: so the alpha
 * is not small. Of flat rates 81-98 % are seen to be flat at any one batch (400 simulated, 8 to 40 batches).
 */
const SLOPE_ALPHA = 0.05;

/** A slope that moves the rate by less than this share over the rest is flat, however sure it is. */
const NEGLIGIBLE_CHANGE = 0.02;

/**
 * Whether a process has warmed up, by the rates of its batches so far (a batch holds many requests: a second, or a
 * quarter of one): MSER-5's truncation point lies in the first half, and the rates after it have no slope. A batch
 * here is MSER-5's own, made by counting over time instead of by averaging five counts. Under 8 batches it never has.
 */
export function isWarm(ratesPerBatch: readonly number[]): boolean {
  if (ratesPerBatch.length < MIN_BATCHES) return false;
  const cut = mserTruncation(ratesPerBatch);
  if (cut === null || cut > ratesPerBatch.length / 2) return false;
  return !hasSlope(ratesPerBatch.slice(cut));
}

/** Least squares over equally spaced values: the slope's t test, where the change that it makes is worth a thought. */
function hasSlope(values: readonly number[]): boolean {
  const n = values.length;
  const [centre, middle] = [mean(values), (n - 1) / 2];
  const spread = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  const slope = values.reduce((sum, value, i) => sum + (i - middle) * (value - centre), 0) / spread;
  if (Math.abs(slope) * (n - 1) <= NEGLIGIBLE_CHANGE * Math.abs(centre)) return false;
  const residue = values.reduce((sum, value, i) => sum + (value - centre - slope * (i - middle)) ** 2, 0);
  const standardError = Math.sqrt(residue / (n - 2) / spread);
  return Math.abs(slope) > -studentTQuantile(SLOPE_ALPHA / 2, n - 2) * standardError;
}
