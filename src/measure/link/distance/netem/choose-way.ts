import { PgsweepError } from '../../../../base/errors.ts';
import { type DistanceWay, distanceWays } from '../../../../journal/link/distance.ts';
import { hasPostgres } from '../../../../journal/link/own-database.ts';
import type { ResolvedScenario, Variant } from '../../../../journal/scenario-record.ts';
import { releaseOf } from '../../../stack/common/postgres.ts';
import { whyNoNetem } from './can-netem.ts';

/** How the distances of a run are made. All arms use the same way: two ways would be a difference between variants. */
export interface ChosenWay {
  readonly by: DistanceWay;
  /** Why it is not the kernel; null where it is. */
  readonly why: string | null;
}

/** A way that somebody asks for. */
export interface AskedWay {
  readonly way: DistanceWay;
  /** `PGSWEEP_DISTANCE asks for it` */
  readonly because: string;
}

/** True if any variant has a distance. */
export function hasDistance({ variants }: Pick<ResolvedScenario, 'variants'>): boolean {
  return variants.some(({ distance }) => distance !== undefined);
}

/** Why the kernel cannot make the distances of a scenario on this kind of stack, whatever the machine; null where it can. */
export function whyNotFor(
  { variants, stack }: Pick<ResolvedScenario, 'variants' | 'stack'>,
  kind: string,
): string | null {
  const first = (is: (variant: Variant) => boolean): string | undefined => variants.find(is)?.name;
  const kindOf = ({ treatment }: Variant): string => releaseOf(stack.postgres, treatment?.postgres).stack ?? kind;
  const elsewhere = variants
    .filter(hasPostgres)
    .map(kindOf)
    .find((own) => own !== 'embedded');
  if (elsewhere !== undefined) return `with the stack ${elsewhere} the server is no process of the bench's own`;
  const pooled = first(({ pooler }) => pooler !== undefined);
  if (pooled !== undefined) return `a PgBouncer stands before the database of "${pooled}"`;
  const jittered = first(({ distance }) => distance?.jitterMs !== undefined);
  if (jittered !== undefined) return `"${jittered}" asks for jitter, by which netem changes the order of packets`;
  return null;
}

/**
 * The way of a run: the kernel's where nothing is against it (`why` is null), unless another is asked for. Throws PgsweepError
 * `stack` where the kernel's is asked for and cannot be had.
 */
export function wayOf(why: string | null, asked: AskedWay | null): ChosenWay {
  if (asked?.way === 'proxy') return { by: 'proxy', why: asked.because };
  if (why === null) return { by: 'netem', why };
  if (asked === null) return { by: 'proxy', why };
  throw new PgsweepError('stack', `netem cannot make the distances of this run: ${why}. ${asked.because}`, {
    hint: 'All rounds of a run need one way: start a new run, with PGSWEEP_DISTANCE=proxy or without that variable.',
  });
}

/** Wishes for the way of a run: that of its first session, and PGSWEEP_DISTANCE. */
export interface WayWishes {
  /** Way in which a resumed run made its distances before. */
  readonly before?: DistanceWay | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Chooses what makes the distances of a run; null where it has none. Throws PgsweepError `usage` for a PGSWEEP_DISTANCE that is no way, or not
 * the one that the run began with, and `stack` where the kernel has to and cannot.
 */
export async function chooseDistanceWay(
  scenario: Pick<ResolvedScenario, 'variants' | 'stack'>,
  stack: string,
  { before, env = process.env }: WayWishes = {},
): Promise<ChosenWay | null> {
  if (!hasDistance(scenario)) return null;
  const asked = askedWay(env.PGSWEEP_DISTANCE, before);
  const why = asked?.way === 'proxy' ? null : (whyNotFor(scenario, stack) ?? (await whyNoNetem()));
  return wayOf(why, asked);
}

function askedWay(text: string | undefined, before: DistanceWay | undefined): AskedWay | null {
  const way = distanceWays.find((each) => each === text);
  if (text && way === undefined)
    throw new PgsweepError('usage', `PGSWEEP_DISTANCE is "${text}": expected one of ${distanceWays.join(', ')}`);
  if (way !== undefined && before !== undefined && way !== before) {
    throw new PgsweepError('usage', `the run began with distances by ${before}, and cannot be resumed with ${way}`, {
      hint: 'Leave PGSWEEP_DISTANCE out, or start a new run.',
    });
  }
  if (before !== undefined) return { way: before, because: `the run began with ${before}` };
  return way === undefined ? null : { way, because: `PGSWEEP_DISTANCE is ${way}` };
}

/** `netem`, or `by a proxy (the kernel has no netem)` */
export function wayWords({ by, why }: ChosenWay): string {
  return why === null ? `by ${by}` : `by a ${by} (${why})`;
}
