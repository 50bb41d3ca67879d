import { plannedVariants } from '../../journal/line-up.ts';
import { hasPostgres } from '../../journal/link/own-database.ts';
import type { OwnServersReason } from '../../journal/run/provenance-record.ts';
import type { ResolvedScenario, RoundsSpec, Variant } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { serverSettings } from '../treatment/kinds/settings.ts';
import { reachesBeyond } from '../treatment/kinds.ts';
import { type Arm, plannedArms } from './arms.ts';

/** The arms that get a copy of a Postgres database. Arms that are one process share the copy of the first. */
export function armsWithCopies(scenario: ResolvedScenario): Arm[] {
  const arms = plannedArms(scenario);
  return (areOneProcess(scenario) ? arms.slice(0, 1) : arms).filter(({ variant }) => hasPostgres(variant));
}

/** Which Postgres a variant runs on: '' for that of the stack. Those of one key can share the files of a loaded server. */
export function releaseKey({ treatment }: Pick<Variant, 'treatment'>): string {
  const { version, image, stack } = treatment?.postgres ?? {};
  return version === undefined && image === undefined && stack === undefined
    ? ''
    : JSON.stringify({ version, image, stack });
}

/** Facts that decide if arms need their own servers, before the size of the data is known. */
export interface ServerPlan extends Pick<ResolvedScenario, 'variants' | 'slots' | 'tune'> {
  readonly rounds?: Pick<RoundsSpec, 'restart'>;
}

/**
 * Why a scenario needs a server for each arm, whatever its data; null where it does not. Where one arm needs its own, all
 * get one: an arm that shared a server would share its shared_buffers, and be slower for that alone.
 */
export function needOfOwnServers(plan: ServerPlan): OwnServersReason | null {
  if (plan.rounds?.restart === 'server') return 'restart';
  const changesServer = (variant: Variant): boolean =>
    serverSettings(variant.treatment).length > 0 || releaseKey(variant) !== '' || reachesBeyond(variant.treatment);
  return plannedVariants(plan).some((variant) => hasPostgres(variant) && changesServer(variant)) ? 'variants' : null;
}

/** Facts that decide if arms can share one server. */
export interface ServerRoom {
  /** How many copies of the loaded database there will be, and how large one is. */
  readonly copies: number;
  readonly copyBytes: number;
  /** shared_buffers of a server. */
  readonly bufferBytes: number;
  /** Memory of this machine; null where the server is not the bench's, and may be elsewhere. */
  readonly memoryBytes: number | null;
  /** Free space for the servers' data; null where unknown. */
  readonly diskBytes: number | null;
}

/** Why arms share a server although their copies do not fit in its shared_buffers. */
export type NoOwnServers = 'external' | 'memory' | 'disk';

/** How the arms of a session get their servers. */
export interface Arrangement {
  /** Null where all arms share one. */
  readonly own: OwnServersReason | null;
  /** Set where all arms share one, and should not. */
  readonly lacks?: NoOwnServers;
}

/** A new cluster without data, and its first WAL files. */
const CLUSTER_BYTES = 40 * 2 ** 20;

/**
 * Arms share a server only while all their copies fit in its shared_buffers together: beyond that, how warm an arm's
 * cache is depends on how many others there are, and on how often each has load.
 */
export function arrangementFor({ copies, copyBytes, bufferBytes, memoryBytes, diskBytes }: ServerRoom): Arrangement {
  if (copies < 2 || copies * copyBytes <= bufferBytes) return { own: null };
  if (memoryBytes === null) return { own: null, lacks: 'external' };
  if (copies * (copyBytes + bufferBytes) > memoryBytes) return { own: null, lacks: 'memory' };
  // Each server has the loaded database, from which its arm's copy is made.
  if (diskBytes !== null && copies * (2 * copyBytes + CLUSTER_BYTES) > diskBytes) return { own: null, lacks: 'disk' };
  return { own: 'shared buffers' };
}
