import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { bootId } from '../../base/process/read-proc.ts';
import type { Machine } from '../../journal/run/shard-records.ts';

const ID_DIGITS = 12;

/**
 * Which machine this is, so that shards of the same one are known. Containers and pods have their own names and the
 * kernel of their machine, whose boot has an id that no other has; what is kept of it is a digest. Where that cannot be read
 * the name has to do. PGSWEEP_MACHINE names it otherwise, such as by the node of a pod.
 */
export function machineOf(env: NodeJS.ProcessEnv = process.env): Machine {
  const { PGSWEEP_MACHINE: given = '' } = env;
  const name = given === '' ? hostname() : given;
  const identity = given === '' ? bootId() || name : given;
  return { id: createHash('sha256').update(identity).digest('hex').slice(0, ID_DIGITS), name };
}
