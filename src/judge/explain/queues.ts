import { loadKey } from '../../journal/load-level.ts';
import type { CrossCheck, DiagnosisFinding } from './cross-check.ts';
import * as crossChecks from './cross-checks.ts';
import type { CellSaturation } from './saturation.ts';

const queues = new Map(Object.values(crossChecks).map(({ name, queue }: CrossCheck) => [name, queue]));

/**
 * Saturation that says of every cell what the findings say of it: where one of them names the queue that requests stand
 * in, the most telling first, that is what limits the cell, however full other things are.
 */
export function agreeingWith(
  findings: readonly DiagnosisFinding[],
  saturation: readonly CellSaturation[],
): CellSaturation[] {
  return saturation.map((cell) => {
    const named = findings.filter(({ cells }) =>
      cells.some(({ variant, load }) => variant === cell.variant && loadKey(load) === loadKey(cell.load)),
    );
    for (const { name } of named) {
      const queue = cell.uses.find(({ resource }) => resource === queues.get(name));
      if (queue === undefined) continue;
      const uses = [queue, ...cell.uses.filter((use) => use !== queue)];
      const { resource, utilisation } = queue;
      return {
        ...cell,
        byFinding: true,
        resource,
        utilisation,
        isLimit: true,
        uses,
        text: uses.map(({ text }) => text).join(', '),
      };
    }
    return cell;
  });
}
