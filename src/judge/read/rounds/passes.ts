import { ofName } from '../../../base/by-name.ts';
import { loadKey } from '../../../journal/load-level.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { UncountedReason, WholeSlicesReason } from '../../../journal/pass-records.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import type { RunNote } from '../../notes.ts';
import { significant } from '../../stats/rounding.ts';
import type { CompleteRound } from './complete-rounds.ts';
import type { TurnFacts } from './turn-facts.ts';

/** How the arms of a load level took turns, over all complete rounds. */
export interface LevelPasses extends TurnFacts {
  readonly load: LoadLevel;
  /** A level whose arms are too many for one pass has several a round. */
  readonly passes: number;
  /** The most groups that there were in a round; 1 where all arms took turns with each other. */
  readonly groups: number;
  /** The shortest and the longest turn, of passes that had turns; null where none had. */
  readonly turnMs: { readonly least: number; readonly most: number } | null;
  /** The fewest and the most turns that an arm had in a pass. */
  readonly turnsPerArm: { readonly least: number; readonly most: number } | null;
  /** The shortest and the longest time that the turns of an arm were to take together in a pass. */
  readonly sliceMs: { readonly least: number; readonly most: number } | null;
  /** The longest time between two turns of an arm. */
  readonly gapMaxMs: number | null;
  /** In how many passes arms had their time in whole slices, by the reason. */
  readonly wholeSlices: Readonly<Record<string, number>>;
  /** Connections that were closed while their arm was idle, and opened again before its turn. */
  readonly reopened: number;
  /** Work that belongs to no single arm; null where no arms shared a server that could be seen. */
  readonly shared: SharedWork | null;
  /** Slices in which databases of others wrote rows on the same server, among all. */
  readonly othersWrote: { readonly slices: number; readonly of: number };
  /** Arms that had no counters of pg_stat_database in some of their passes. Absent where that is not known of any. */
  readonly uncounted?: readonly UncountedArm[];
}

/** An arm that had no counters of its database, in this many passes. */
interface UncountedArm {
  readonly variant: string;
  readonly repeat: boolean;
  readonly reason: UncountedReason;
  readonly passes: number;
}

const KIND_OF_LOAD: WholeSlicesReason = 'kind of load';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Level = Writable<Omit<LevelPasses, 'wholeSlices' | keyof TurnFacts>> & {
  readonly wholeSlices: Partial<Record<WholeSlicesReason, number>>;
};

/** Nothing seen yet of any load level. */
export function newLevels(loads: readonly LoadLevel[]): Level[] {
  return loads.map((load) => ({
    load,
    passes: 0,
    groups: 1,
    turnMs: null,
    turnsPerArm: null,
    sliceMs: null,
    gapMaxMs: null,
    wholeSlices: {},
    reopened: 0,
    shared: null,
    othersWrote: { slices: 0, of: 0 },
  }));
}

/** Adds the passes of a round. */
export function addPasses(levels: readonly Level[], { passes, slices }: CompleteRound): void {
  const byKey = new Map(levels.map((level) => [loadKey(level.load), level]));
  for (const { load, group = 0, turnMs, turnsPerArm, wholeSlices } of passes) {
    const level = byKey.get(loadKey(load));
    if (level === undefined) continue;
    level.passes++;
    level.groups = Math.max(level.groups, group + 1);
    if (wholeSlices !== undefined) {
      level.wholeSlices[wholeSlices] = (level.wholeSlices[wholeSlices] ?? 0) + 1;
      continue;
    }
    level.turnMs = widened(level.turnMs, significant(turnMs));
    level.turnsPerArm = widened(level.turnsPerArm, turnsPerArm);
    level.sliceMs = widened(level.sliceMs, Math.round(turnMs * turnsPerArm));
  }
  for (const { slice, pass } of slices) {
    const level = byKey.get(loadKey(slice.load));
    if (level === undefined || pass === null) continue;
    level.reopened += slice.connections?.reopened ?? 0;
    level.shared = addShared(level.shared, slice);
    const reason = ofName(pass.withoutCounters ?? {}, slice.arm);
    if (reason !== undefined) level.uncounted = addUncounted(level.uncounted ?? [], slice, reason);
    const { slices: before, of } = level.othersWrote;
    level.othersWrote = { slices: before + (slice.work?.background?.othersWrote ? 1 : 0), of: of + 1 };
    const gapMs = pass.wholeSlices === undefined ? slice.turns?.gapMaxMs : undefined;
    if (gapMs !== undefined) level.gapMaxMs = Math.max(level.gapMaxMs ?? 0, significant(gapMs));
  }
}

function addUncounted(
  arms: readonly UncountedArm[],
  { variant, repeat }: Pick<SliceRecord, 'variant' | 'repeat'>,
  reason: UncountedReason,
): readonly UncountedArm[] {
  const isOf = (one: UncountedArm): boolean =>
    one.variant === variant && one.repeat === repeat && one.reason === reason;
  if (!arms.some(isOf)) return [...arms, { variant, repeat, reason, passes: 1 }];
  return arms.map((one) => (isOf(one) ? { ...one, passes: one.passes + 1 } : one));
}

function widened(range: LevelPasses['turnMs'], value: number): LevelPasses['turnMs'] {
  if (range === null) return { least: value, most: value };
  return { least: Math.min(range.least, value), most: Math.max(range.most, value) };
}

/** Notes where arms took no turns, where they did so in groups, and where others used their server. */
export function turnNotes(levels: readonly LevelPasses[]): RunNote[] {
  return levels.flatMap(({ load, passes, groups, wholeSlices, othersWrote }) => [
    ...Object.entries(wholeSlices).flatMap(([reason, count]): RunNote[] => {
      // What the scenario asks for is not odd.
      if (reason === KIND_OF_LOAD) return [];
      return [{ kind: 'whole-slices', load, reason: reason as WholeSlicesReason, passes: count, of: passes }];
    }),
    ...(groups > 1 ? [{ kind: 'groups', load, groups } as const] : []),
    ...(othersWrote.slices > 0 ? [{ kind: 'others-wrote', load, ...othersWrote } as const] : []),
  ]);
}

/** Work of a Postgres server's background processes for all arms that share it, and for how many requests. */
interface SharedWork {
  readonly cpuMs: number;
  /** Bytes of data files, which sessions write too. */
  readonly dataBytes: number;
  /** Bytes of WAL that were written in no arm's turn. */
  readonly walBytes: number;
  readonly requests: number;
}

/** Adds the part of a slice; null as long as no arm shared a server whose processes could be seen. */
function addShared(sum: SharedWork | null, { work, whole }: Pick<SliceRecord, 'work' | 'whole'>): SharedWork | null {
  const { arms = 1, sharedCpuMs = null, dataBytes = null, laterWalBytes = null } = work?.background ?? {};
  if (arms === 1 || sharedCpuMs === null) return sum;
  return {
    cpuMs: (sum?.cpuMs ?? 0) + sharedCpuMs,
    dataBytes: (sum?.dataBytes ?? 0) + (dataBytes ?? 0),
    walBytes: (sum?.walBytes ?? 0) + (laterWalBytes ?? 0),
    requests: (sum?.requests ?? 0) + countAll(whole),
  };
}
