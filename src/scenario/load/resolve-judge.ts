import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import { type JudgeKey, judgeKeys } from '../../journal/run/judge-keys.ts';
import type { Problem } from '../problems.ts';
import type { ScenarioDocument } from '../schema.ts';

/** The metric that the run is about; absent where the kind of load says. A search for capacities is about these, and nothing else is about them. */
export function resolveJudge(
  { judge }: Pick<ScenarioDocument, 'judge'>,
  capacity: CapacitySpec | undefined,
  problems: Problem[],
): JudgeKey | undefined {
  if (judge === undefined) return undefined;
  const supported = capacity && `supported ${capacity.of}`;
  if (judge === supported) return undefined;
  const key = judgeKeys.find((one) => one === judge);
  if (supported !== undefined) {
    problems.push({
      path: ['judge'],
      message: `judge: load.capacity asks for the ${supported}, so expected that or no judge`,
    });
  } else if (key === undefined) {
    problems.push({ path: ['judge'], message: `judge: ${judge} needs load.capacity, which searches for it` });
  }
  return key;
}
