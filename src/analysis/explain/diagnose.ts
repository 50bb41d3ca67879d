import { loadLabel } from '../../journal/load-level.ts';
import type { Observations } from '../read/aggregate-run.ts';
import { cacheMisses } from './checks/cache-misses.ts';
import { eventLoopInTransactions } from './checks/event-loop-in-transactions.ts';
import { generatorLimit } from './checks/generator-limit.ts';
import { housekeeping } from './checks/housekeeping.ts';
import { insertsBecomeUpdates } from './checks/inserts-become-updates.ts';
import { lockFailures } from './checks/lock-failures.ts';
import { lockWaits } from './checks/lock-waits.ts';
import { planChanged } from './checks/plan-changed.ts';
import { poolUnused } from './checks/pool-unused.ts';
import { poolTooSmall, poolWaits } from './checks/pool-waits.ts';
import { searchFailures, searchWaits } from './checks/search.ts';
import { transactionInProgress } from './checks/transaction-in-progress.ts';
import { transactions } from './checks/transactions.ts';
import type { Check, DiagnosisFinding, Symptom } from './cross-check.ts';
import { type DiagnosedCell, diagnosedCells } from './diagnosed-cell.ts';

const checks: readonly Check[] = [
  transactions,
  transactionInProgress,
  insertsBecomeUpdates,
  planChanged,
  poolUnused,
  poolWaits,
  poolTooSmall,
  lockFailures,
  lockWaits,
  searchFailures,
  searchWaits,
  eventLoopInTransactions,
  cacheMisses,
  housekeeping,
  generatorLimit,
];

/** How many other variants a sentence names. */
const MOST_NAMED = 3;

/** What the cross-checks found, the most telling first; nothing where no probe saw anything. */
export function diagnose(observations: Observations, cpuCount: number): DiagnosisFinding[] {
  const seen = diagnosedCells(observations, cpuCount).flatMap((cell) =>
    checks.flatMap((check) => {
      const symptom = check(cell);
      return symptom === null ? [] : [{ cell, symptom }];
    }),
  );
  const names = [...new Set(seen.map(({ symptom }) => symptom.name))];
  const byName = names.map((name) => seen.filter(({ symptom }) => symptom.name === name));
  return byName.map(together).sort((a, b) => b.weight - a.weight);
}

interface Seen {
  readonly cell: DiagnosedCell;
  readonly symptom: Symptom;
}

function together(all: readonly Seen[]): DiagnosisFinding {
  const [clearest, ...others] = [...all].sort((a, b) => b.symptom.weight - a.symptom.weight);
  if (clearest === undefined) throw new RangeError('a finding is of some cell');
  const { name, next, weight } = clearest.symptom;
  return {
    name,
    cells: [clearest, ...others].map(({ cell, symptom }) => ({
      variant: cell.variant,
      load: cell.load,
      text: symptom.text,
    })),
    text: `${nameOf(clearest.cell)}: ${clearest.symptom.text}${alsoIn(clearest, others)}.`,
    next,
    weight: Number(weight.toPrecision(3)),
  };
}

/** ` (also under 2 more load levels; pool=50, pool=35, pool=25 and 3 more)` */
function alsoIn(clearest: Seen, others: readonly Seen[]): string {
  const variants = new Set(others.map(({ cell }) => cell.variant));
  variants.delete(clearest.cell.variant);
  const levels = others.filter(({ cell }) => cell.variant === clearest.cell.variant).length;
  const named = [...variants].slice(0, MOST_NAMED).join(', ');
  const more = variants.size > MOST_NAMED ? ` and ${variants.size - MOST_NAMED} more` : '';
  const said = [
    ...(levels > 0 ? [`under ${levels} more load level${levels === 1 ? '' : 's'}`] : []),
    ...(variants.size > 0 ? [`${named}${more}`] : []),
  ];
  return said.length === 0 ? '' : ` (also ${said.join('; ')})`;
}

function nameOf({ variant, load }: DiagnosedCell): string {
  return `${variant}, ${loadLabel(load)}`;
}
