import type { ScenarioDocument } from '../schema.ts';
import type { WrittenParts } from './parts.ts';

/** What `stack` and `target` say for all variants. */
export function partsForAll({ stack, target }: ScenarioDocument): WrittenParts {
  const { rtt, jitter, bandwidth } = stack?.postgres ?? {};
  return { distance: { rtt, jitter, bandwidth }, pooler: stack?.pooler, instances: target.instances };
}
