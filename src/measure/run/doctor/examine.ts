import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import type { Finding } from '../../finding.ts';
import type { StackChoice } from '../../stack/stack.ts';
import { examineDisk } from './disk.ts';
import { examineK6 } from './k6.ts';
import { examineMachine } from './machine.ts';
import { examineNode } from './node.ts';
import { watchOtherLoad } from './other-load.ts';
import { examineStack } from './stack.ts';

export interface ExamineOptions {
  /** The scenario to check for. */
  readonly scenario: ResolvedScenario;
  readonly stackChoice: StackChoice;
  /** How long other load is watched. */
  readonly watchMs: number;
  readonly signal?: AbortSignal;
}

/** Everything that can be known of a machine's fitness before a run. Other load comes first: the rest makes some. */
export async function examine({ scenario, stackChoice, watchMs, signal }: ExamineOptions): Promise<Finding[]> {
  const otherLoad = await watchOtherLoad(watchMs, signal);
  const stack = await examineStack(scenario, stackChoice);
  return [...otherLoad, ...examineMachine(), ...examineDisk(), examineNode(), ...stack, await examineK6(scenario)];
}
