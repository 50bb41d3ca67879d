import type { DistanceReading } from './distance.ts';
import type { PoolerReading } from './pooler.ts';

/** What was seen of what stands between a service and its database; empty where nothing does. */
export interface LinkReading {
  readonly distance?: DistanceReading;
  readonly pooler?: PoolerReading;
}

/** Looked at in every round, when all arms live and none is under load. */
export interface LinkRecord extends LinkReading {
  readonly type: 'link';
  readonly round: number;
  readonly arm: string;
  readonly variant: string;
}
