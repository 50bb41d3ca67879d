import { groupBy } from '../../base/group-by.ts';
import { loadKey, loadLabel } from '../../journal/load-level.ts';
import { plural } from '../format.ts';
import type { RunData } from '../read/run-data.ts';
import type { CrossCheck, DiagnosisFinding, Symptom } from './cross-check.ts';
import * as crossChecks from './cross-checks.ts';
import { type DiagnosedCell, diagnosedCells } from './diagnosed-cell.ts';
import type { CellSaturation } from './saturation.ts';

/** How many other variants a sentence names. */
const MOST_NAMED = 3;

/** The findings of all cross-checks, the most telling first; none where no probe saw anything. */
export function diagnose(data: RunData, cpuCount: number): DiagnosisFinding[] {
  const seen = diagnosedCells(data, cpuCount).flatMap((cell) =>
    Object.values(crossChecks).flatMap(({ name, symptomIn }: CrossCheck) => {
      const symptom = symptomIn(cell);
      return symptom === null ? [] : [{ name, cell, symptom }];
    }),
  );
  return groupBy(seen, ({ name, symptom }) => `${name} ${symptom.kind ?? ''}`)
    .flatMap(together)
    .sort((a, b) => b.weight - a.weight);
}

interface Seen {
  readonly name: string;
  readonly cell: DiagnosedCell;
  readonly symptom: Symptom;
}

/** One finding for all cells in which a cross-check found something of one kind. */
function together(all: readonly Seen[]): DiagnosisFinding[] {
  const [clearest, ...others] = [...all].sort((a, b) => b.symptom.weight - a.symptom.weight);
  if (clearest === undefined) return [];
  const { next, weight } = clearest.symptom;
  const { variant, load } = clearest.cell;
  return [
    {
      name: clearest.name,
      cells: [clearest, ...others].map(({ cell, symptom }) => ({
        variant: cell.variant,
        load: cell.load,
        text: symptom.text,
      })),
      text: `${variant}, ${loadLabel(load)}: ${clearest.symptom.text}${alsoIn(clearest, others)}.`,
      next,
      weight: Number(weight.toPrecision(3)),
    },
  ];
}

/** ` (also under 2 more load levels; pool=50, pool=35, pool=25 and 3 more)` */
function alsoIn(clearest: Seen, others: readonly Seen[]): string {
  const variants = new Set(others.map(({ cell }) => cell.variant));
  variants.delete(clearest.cell.variant);
  const levels = others.filter(({ cell }) => cell.variant === clearest.cell.variant).length;
  const named = [...variants].slice(0, MOST_NAMED).join(', ');
  const more = variants.size > MOST_NAMED ? ` and ${variants.size - MOST_NAMED} more` : '';
  const said = [
    ...(levels > 0 ? [`under ${plural(levels, 'more load level')}`] : []),
    ...(variants.size > 0 ? [`${named}${more}`] : []),
  ];
  return said.length === 0 ? '' : ` (also ${said.join('; ')})`;
}

const queues = new Map(Object.values(crossChecks).map(({ name, queue }: CrossCheck) => [name, queue]));

/**
 * Saturation that agrees with the findings. If a finding names the queue that requests stand in, that queue limits the
 * cell, however full other things are. The weightiest finding goes first.
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
