import { loadKey } from '../../journal/load-level.ts';
import type { DiagnosisFinding } from './cross-check.ts';
import type { CellSaturation, Resource } from './saturation.ts';

/** What requests stand in line for, by the finding that says so. */
const queues: Readonly<Record<string, Resource>> = {
  'transaction-in-progress': 'shared connection',
  'pool-waits-while-postgres-idles': 'pool',
  'pool-too-small': 'pool',
  'generator-is-the-limit': 'generator',
  'event-loop-holds-transactions': 'service event loop',
};

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
      const queue = cell.uses.find(({ resource }) => resource === queues[name]);
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
