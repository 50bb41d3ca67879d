import { instancesOf } from '../../journal/service/instances.ts';
import type { RunPart } from './link.ts';

/** Each further process of an arm's service: they start side by side, and the cores are what they wait for. */
const START_INSTANCE_MS = 400;

/** Several processes of one service, which src/measure/target starts. */
export const instances: RunPart = {
  estimateMs: (variant) => (instancesOf(variant) - 1) * START_INSTANCE_MS,
};
