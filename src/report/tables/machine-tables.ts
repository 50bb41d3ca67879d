import { loadLabel } from '../../journal/load-level.ts';
import { formatChange, formatDelta, plural } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import type { ChangeOnMachine, MachineSummary, MachinesSummary } from '../../judge/verdicts/summarize-machines.ts';
import { judgedName } from '../words/judged.ts';
import { gibibytes } from '../words/provenance.ts';
import { type Cell, left, right, type Table, textCells, weights } from './table.ts';

/** The machines of a merged run, and the judged changes on each of them; none where a run was not merged. */
export function machineTables({ machines: merged, run }: Pick<Summary, 'machines' | 'run'>): Table[] {
  if (merged === undefined) return [];
  return [machinesTable(merged), changesTable(merged, run)];
}

function machinesTable({ machines, shards }: MachinesSummary): Table {
  return {
    title: 'Machines',
    weight: weights.averages,
    columns: [
      ...[left('machine'), left('shards'), right('rounds'), left('CPU'), right('CPUs'), right('GiB')],
      ...['kernel', 'Node.js', 'Postgres'].map(left),
    ],
    rows: machines.map(({ name, shards, rounds, cpuModel, cpuCount, memoryBytes, ...software }) => [
      ...textCells([name, shards.join(', '), String(rounds), cpuModel, String(cpuCount), gibibytes(memoryBytes)]),
      ...textCells([software.kernel, software.nodeVersion, software.postgresVersion ?? 'none']),
    ]),
    notes: [
      `${plural(shards, 'shard')} of a plan whose rounds were fixed before the first. Each round has its own control, so rounds are compared within their machine, ` +
        'and all are judged at one look.',
    ],
  };
}

function changesTable({ machines, changes }: MachinesSummary, run: Summary['run']): Table {
  return {
    title: `Change in ${judgedName(run)}, by machine`,
    weight: weights.answer,
    columns: [
      left('variant'),
      left('load'),
      ...machines.map(({ name }: MachineSummary) => right(name)),
      right('machines'),
    ],
    rows: changes.map(({ variant, load, byMachine, agreement }) => [
      { text: variant },
      { text: loadLabel(load) },
      ...byMachine.map(cellOf),
      agreement === null
        ? { text: 'n/a', quiet: 'missing' }
        : {
            text: `${agreement.disagree ? 'disagree' : 'agree'} (p ${Number(agreement.p.toPrecision(2))})`,
            tone: agreement.disagree ? 'bad' : 'dim',
          },
    ]),
    notes: [
      "A machine's interval is at 95 %, from its own rounds alone: it is no verdict. Machines disagree where Cochran's Q says so at p < 0.1. " +
        'Then each machine counts once, not each round: the change is the mean over machines, and its interval holds for machines such as these. Otherwise the change is the mean of all rounds.',
    ],
  };
}

function cellOf({ deltaPercent, interval }: ChangeOnMachine): Cell {
  if (deltaPercent === null) return { text: 'n/a', quiet: 'missing' };
  return { text: interval === null ? formatDelta(deltaPercent) : formatChange(deltaPercent, interval) };
}
