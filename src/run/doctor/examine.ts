import { examineDisk } from './disk.ts';
import { examineDocker } from './docker.ts';
import type { Finding } from './finding.ts';
import { examineMachine } from './machine.ts';
import { watchOtherLoad } from './other-load.ts';
import { examinePrograms } from './programs.ts';

export interface ExamineOptions {
  /** How long other load is watched. */
  readonly watchMs: number;
  readonly signal?: AbortSignal;
}

/** Everything that can be known of a machine's fitness before a run. Other load comes first: the rest makes some. */
export async function examine({ watchMs, signal }: ExamineOptions): Promise<Finding[]> {
  const otherLoad = await watchOtherLoad(watchMs, signal);
  return [...otherLoad, ...examineMachine(), ...examineDisk(), ...examinePrograms(), ...(await examineDocker())];
}
