import { present } from '../../base/present.ts';
import type { RunRecord } from '../../journal/records.ts';
import type { MergedMachine, MergedRecord } from '../../journal/run/shard-records.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { RunNote } from '../notes.ts';
import type { RunData } from '../read/run-data.ts';
import { tInterval } from '../stats/interval.ts';
import { ERROR } from '../stats/looks.ts';
import { mean } from '../stats/moments.ts';
import { significant, significantRange, toPercent } from '../stats/rounding.ts';
import type { JudgedComparison } from './compare.ts';
import { hasRatios, pairOf } from './pairs.ts';

/** A run that was merged from shards, machine by machine. */
export interface MachinesSummary {
  /** How many shards the plan has. */
  readonly shards: number;
  readonly machines: readonly MachineSummary[];
  /** The changes that are judged, as each machine by itself shows them. */
  readonly changes: readonly ChangeOverMachines[];
}

export interface MachineSummary {
  readonly name: string;
  /** By their index in the plan. */
  readonly shards: readonly number[];
  /** Complete rounds. */
  readonly rounds: number;
  readonly cpuModel: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly nodeVersion: string;
  readonly postgresVersion: string | null;
}

/** A change against the control, on each machine. */
export interface ChangeOverMachines {
  readonly variant: string;
  readonly load: LoadLevel;
  /** Null where rounds are too few to tell. */
  readonly agreement: { readonly q: number; readonly p: number; readonly disagree: boolean } | null;
  /** In the order of the machines. */
  readonly byMachine: readonly ChangeOnMachine[];
}

export interface ChangeOnMachine {
  readonly rounds: number;
  /** The geometric mean of its rounds; null where it has none. */
  readonly deltaPercent: number | null;
  /** In percent, at 95 %, from its own rounds alone and for itself; null for fewer than two. */
  readonly interval: readonly [number, number] | null;
}

/** The machines of a merged run, and its changes in the judged metric on each; null where a run was not merged. */
export function summarizeMachines(
  { merged }: Pick<RunRecord, 'merged'>,
  data: RunData,
  judged: readonly JudgedComparison[],
): MachinesSummary | null {
  if (merged === undefined) return null;
  return {
    shards: merged.shards,
    machines: merged.machines.map((machine, place) => factsOf(machine, roundsOn(data, place))),
    changes: judged.map((finding) => overMachines(finding, merged.machines.length, data)),
  };
}

function roundsOn({ machineOf }: RunData, place: number): number {
  return [...machineOf.values()].filter((machine) => machine === place).length;
}

function factsOf({ name, shards, provenance }: MergedMachine, rounds: number): MachineSummary {
  const { cpuModel, cpuCount, memoryBytes, kernel, nodeVersion, postgresVersion } = provenance;
  return { name, shards, rounds, cpuModel, cpuCount, memoryBytes, kernel, nodeVersion, postgresVersion };
}

function overMachines(
  { contrast, metric, variant, load, evidence }: JudgedComparison,
  machines: number,
  data: RunData,
): ChangeOverMachines {
  const paired = pairOf(data, metric, contrast);
  const pairs = hasRatios(paired) ? paired.pairs : [];
  const found = evidence?.machines;
  return {
    variant,
    load,
    agreement:
      found === undefined ? null : { q: significant(found.q), p: significant(found.p), disagree: found.disagree },
    byMachine: Array.from({ length: machines }, (_, place) =>
      changeOf(pairs.flatMap(({ round, logRatio }) => (data.machineOf.get(round) === place ? (logRatio ?? []) : []))),
    ),
  };
}

function changeOf(logRatios: readonly number[]): ChangeOnMachine {
  const interval = tInterval(logRatios, ERROR);
  return {
    rounds: logRatios.length,
    deltaPercent: logRatios.length === 0 ? null : significant(toPercent(mean(logRatios))),
    interval: interval && significantRange([toPercent(interval.low), toPercent(interval.high)]),
  };
}

/** Notes on a shard of a plan, or on several merged ones. */
export function shardNotes(
  { shard, merged, scenario }: Pick<RunRecord, 'shard' | 'merged' | 'scenario'>,
  data: RunData,
  summary: MachinesSummary | null,
): RunNote[] {
  if (shard !== undefined) return [{ kind: 'shard', index: shard.index, count: shard.count }];
  if (merged === undefined || summary === null) return [];
  const { changes, machines } = summary;
  const unlike = changes.filter(({ agreement }) => agreement?.disagree).length;
  return present<RunNote>([
    ...missingRounds(merged, data, scenario.rounds.max),
    unlike > 0 && { kind: 'machines-differ', changes: unlike, of: changes.length, machines: machines.length },
  ]);
}

function missingRounds({ shards: count }: MergedRecord, { rounds }: RunData, planned: number): RunNote[] {
  const found = new Map<number, number>();
  for (const round of rounds) {
    const shard = ((round - 1) % count) + 1;
    found.set(shard, (found.get(shard) ?? 0) + 1);
  }
  const shards = Array.from({ length: count }, (_, place) => {
    const of = Math.max(0, Math.floor((planned - place - 1) / count) + 1);
    return { shard: place + 1, rounds: found.get(place + 1) ?? 0, of };
  }).filter(({ rounds: own, of }) => own < of);
  return shards.length === 0 ? [] : [{ kind: 'missing-rounds', shards, count }];
}
