import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import type { PassRecord } from '../../../src/journal/pass-records.ts';
import type { ArmRecord, SliceRecord } from '../../../src/journal/records.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { requestsPerSecond } from '../../../src/judge/read/metrics/metrics.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import { armsUnder } from '../../../src/judge/verdicts/contrasts.ts';
import { armsOf } from '../../../src/measure/plan/arms.ts';
import type { Residue } from './explain.ts';
import { factsOfCpu } from './place-facts.ts';
import { type Moment, readMoments } from './place-file.ts';

/** What a folder of sessions has of one load level, in connections. */
export interface LevelResidues {
  readonly connections: number;
  readonly residues: readonly Residue[];
}

/** The folder of a run of identical arms. */
export const identicalRun = /^s\d+$/;

/** The runs in a folder, and what is known of each arm in each round. `place.jsonl` beside them says where processes ran. */
export function readSessions(folder: string): LevelResidues[] {
  const runs = readdirSync(folder).filter(
    (name) => identicalRun.test(name) && existsSync(join(folder, name, 'journal.jsonl')),
  );
  const moments = readMoments(join(folder, 'place.jsonl'));
  const all = runs.flatMap((name) => residuesOf(name, readJournal(join(folder, name, 'journal.jsonl')), moments));
  const levels = [...new Set(all.map(({ connections }) => connections))].sort((a, b) => a - b);
  return levels.map((connections) => ({
    connections,
    residues: all.filter((one) => one.connections === connections).map(({ connections: _, ...residue }) => residue),
  }));
}

interface LevelResidue extends Residue {
  readonly connections: number;
}

function residuesOf(session: string, journal: Journal, moments: readonly Moment[]): LevelResidue[] {
  const data = aggregateRun(journal);
  const records = [...journal.records];
  const planned = armsOf(journal.run.scenario).map(({ name }) => name);
  const slices = records.filter((record) => record.type === 'slice');
  const passes = records.filter((record) => record.type === 'pass' && record.repeated !== true) as PassRecord[];
  const starts = records.filter((record) => record.type === 'arm');
  const reads = new Map(
    records.flatMap((record) => {
      const requests = record.type === 'counters' && record.whole ? countAll(record.whole) : 0;
      if (record.type !== 'counters' || requests === 0) return [];
      return [[`${record.round} ${record.slice}`, record.delta.blks_read / requests] as const];
    }),
  );
  const placesOf = new Map(
    records.flatMap((record) =>
      record.type === 'round' ? [[record.round, record.places?.arms ?? planned] as const] : [],
    ),
  );
  return journal.run.scenario.load.levels.flatMap((load) =>
    armsUnder(data, load).flatMap((cell) => {
      const arm = cell.repeat ? `${cell.variant} (A/A)` : cell.variant;
      return [...data.series(requestsPerSecond, [cell]).byRound].flatMap(([round, { log }]): LevelResidue[] => {
        const slice = slices.find(
          (one) => one.round === round && one.arm === arm && loadSize(one.load) === loadSize(load),
        );
        const pass = passes.find((one) => one.round === round && one.pass === slice?.pass);
        const start = starts.findLast((one) => one.round === round && one.arm === arm);
        if (log === null || slice === undefined || pass === undefined || start === undefined) return [];
        const order = placesOf.get(round) ?? planned;
        const facts = {
          ...factsOfOrder(arm, order, pass),
          ...factsOfCpu(during(moments, slice, pass), databaseOf(start, order)),
          blocksReadByRequest: reads.get(`${round} ${slice.slice}`),
          startMs: start.startMs,
        };
        const known = Object.entries(facts).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
        return [{ session, round, arm, connections: loadSize(load), rate: log, facts: Object.fromEntries(known) }];
      });
    }),
  );
}

function databaseOf({ database, round, arm }: ArmRecord, order: readonly string[]): string {
  return database ?? `pgsweep_r${round}_a${order.indexOf(arm)}`;
}

/** Its place among the starts, and in the turns of the pass: how late its turns are in a cycle, and how long it pauses. */
function factsOfOrder(arm: string, order: readonly string[], { arms, order: turns }: PassRecord) {
  const own = turns.flatMap((index, at) => (arms[index] === arm ? [at] : []));
  const gaps = own.slice(1).map((at, index) => at - (own[index] ?? at));
  const start = order.indexOf(arm);
  return {
    place: start,
    isFirst: start === 0 ? 1 : 0,
    placeInCycle: mean(own.map((at) => at % arms.length)),
    ...(gaps.length > 0 && { turnsBetween: mean(gaps) }),
  };
}

/** All arms have their turns between the beginning of a pass and its end, each in its own: its processes rest in others. */
function during(moments: readonly Moment[], { startedAt }: SliceRecord, { durationMs }: PassRecord): Moment[] {
  const from = Date.parse(startedAt) / 1000;
  return moments.filter(({ t }) => t >= from && t <= from + durationMs / 1000);
}
