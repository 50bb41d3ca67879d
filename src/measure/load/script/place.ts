import type { Random } from '../../../base/random.ts';
import { meanOf, type ScriptPart, type ScriptSpec, type StepSpec } from '../../../journal/script-spec.ts';
import { weightedPick } from '../requests/declared-requests.ts';

/** Where a user is met at any moment: in the pause after a step of a way through the script. */
export interface Place {
  /** The steps of the way, in their order. */
  readonly way: readonly StepSpec[];
  /** The pause that it is met in is the one after this step of the way. */
  readonly step: StepSpec;
}

interface Candidate {
  readonly part: ScriptPart;
  readonly steps: readonly StepSpec[];
  readonly step: StepSpec;
  readonly weight: number;
}

/**
 * Draws the places of users in their steady state: each pause in proportion to its mean length and to how often a user comes by, and
 * around it a way through the script that has it. Without pauses each step is as likely as it is sent. Steps that a user
 * sends `once` are long done, except where each way is a new user. Null where there is no other step.
 */
export function placesOf({
  parts,
  sessions,
}: Pick<ScriptSpec, 'parts' | 'sessions'>): (random: Random) => Place | null {
  const all = parts.flatMap(candidatesOf).filter(({ step }) => sessions === 'new' || !step.once);
  const paused = all.map((one) => ({ ...one, weight: one.weight * meanOf(one.step.think) }));
  const drawn = paused.some(({ weight }) => weight > 0) ? paused : all;
  return (random) => {
    if (drawn.length === 0) return null;
    const weights = drawn.map(({ weight }) => weight);
    const place = drawn[weightedPick(weights, random)()];
    if (place === undefined) return null;
    const way = parts.flatMap((part) => (part === place.part ? place.steps : chosenSteps(part, random)));
    return { way, step: place.step };
  };
}

function candidatesOf(part: ScriptPart): Candidate[] {
  if (part.kind === 'step') return [{ part, steps: [part.step], step: part.step, weight: 1 }];
  const total = part.ways.reduce((sum, { weight }) => sum + weight, 0);
  return part.ways.flatMap(({ weight, steps }) => steps.map((step) => ({ part, steps, step, weight: weight / total })));
}

/** The steps of one part of a way; of several ways one, drawn by weight. */
export function chosenSteps(part: ScriptPart, random: Random): readonly StepSpec[] {
  if (part.kind === 'step') return [part.step];
  const weights = part.ways.map(({ weight }) => weight);
  return part.ways[weightedPick(weights, random)()]?.steps ?? [];
}
