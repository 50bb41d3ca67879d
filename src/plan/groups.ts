import type { Arm } from './arms.ts';

/**
 * The arms of a load level in groups of at most so many that take turns with each other. Both arms of the control are
 * in every group, since a variant is compared with the control that it took turns with; the others are shared out
 * evenly, in their order.
 */
export function groupsOf(arms: readonly Arm[], most: number, control: string): Arm[][] {
  if (arms.length <= most) return [[...arms]];
  const ofControl = arms.filter(({ variant }) => variant.name === control);
  const others = arms.filter(({ variant }) => variant.name !== control);
  const groups = Math.ceil(others.length / Math.max(1, most - ofControl.length));
  return Array.from({ length: groups }, (_, group) => [
    ...ofControl,
    ...others.slice(Math.round((group * others.length) / groups), Math.round(((group + 1) * others.length) / groups)),
  ]);
}
