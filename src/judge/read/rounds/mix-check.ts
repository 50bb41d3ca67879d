import { addTo } from '../../../base/group-by.ts';
import { closedLoopClients } from '../../../journal/load-level.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { WorkloadSpec } from '../../../journal/scenario-record.ts';
import { sum } from '../../stats/moments.ts';

/** The kinds of request of an arm in a closed loop. */
export interface CheckedMix {
  /** Connections x turns. */
  readonly stretches: number;
  /** By kind: how many were sent in the turns, and how many came within them, each by the share of its time. */
  readonly kinds: ReadonlyMap<string, { readonly sent: number; readonly within: number }>;
}

/** The kind of request whose share differs most. */
export interface MixShares {
  readonly request: string;
  /** Its share of what was sent, and of what came within the turns, 0 to 1. They differ where queues still grow in a turn. */
  readonly sentShare: number;
  readonly withinShare: number;
  /** Its share of what is drawn, by the weights of the scenario: what was sent has to be that. Null where they do not say. */
  readonly drawnShare: number | null;
}

export interface MixGap extends MixShares {
  /** By how much a share is off: of what came within turns against what was sent, or of this against what is drawn. */
  readonly gap: number;
  /** The standard error of the difference, or more. */
  readonly error: number;
}

/** A difference of this many standard errors is certain: some hundred of them are looked at in a run. */
const CERTAIN_ERRORS = 3.5;
/** Shares that differ by less are the same for every purpose. */
const LEAST_GAP = 0.01;

/** How often each kind of request is drawn, as its share of all, 0 to 1; null where the workload does not say. */
export type DrawnShares = ReadonlyMap<string, number> | null;

/** By the weights of the scenario's requests. */
export function drawnShares(workload: WorkloadSpec): DrawnShares {
  if (workload.kind !== 'requests') return null;
  const all = sum(workload.requests.map(({ weight }) => weight));
  const shares = new Map<string, number>();
  for (const { name, weight } of workload.requests) addTo(shares, name, weight / all);
  return shares;
}

/** The requests of some slices of an arm; null where the load is no closed loop or has one kind. */
export function checkedMix(slices: readonly Pick<SliceRecord, 'load' | 'turns' | 'byRequest'>[]): CheckedMix | null {
  const kinds = new Map<string, { readonly sent: number; readonly within: number }>();
  let stretches = 0;
  for (const { load, turns, byRequest } of slices) {
    const clients = closedLoopClients(load);
    if (clients === null || turns === undefined) continue;
    stretches += clients * turns.ok.length;
    for (const [request, { outcomes, byTime }] of Object.entries(byRequest)) {
      const { sent, within } = kinds.get(request) ?? { sent: 0, within: 0 };
      if (byTime !== undefined) kinds.set(request, { sent: sent + countAll(outcomes), within: within + byTime });
    }
  }
  return kinds.size < 2 ? null : { stretches, kinds };
}

/** Both added up. */
export function addedMix(one: CheckedMix | null, other: CheckedMix | null): CheckedMix | null {
  if (one === null || other === null) return one ?? other;
  const kinds = new Map(one.kinds);
  for (const [request, { sent, within }] of other.kinds) {
    const own = kinds.get(request) ?? { sent: 0, within: 0 };
    kinds.set(request, { sent: own.sent + sent, within: own.within + within });
  }
  return { stretches: one.stretches + other.stretches, kinds };
}

/**
 * The gap between the mix that counts and the mix that should count. First it compares what came within turns with what
 * was sent. A connection adds to the difference only at both ends of a turn, by a part of one request: at either end by
 * a share that is even at random (variance 1/3 about 0), of this kind or of another. Then it compares what was sent
 * with what is drawn, of which it is a random sample. Returns the kind whose mix is the furthest off; null where
 * nothing was sent or nothing came.
 */
export function mixGap({ stretches, kinds }: CheckedMix, drawn: DrawnShares): MixGap | null {
  const all = { sent: sum([...kinds.values()].map(({ sent }) => sent)), within: 0 };
  all.within = sum([...kinds.values()].map(({ within }) => within));
  if (all.sent === 0 || all.within === 0) return null;
  const gaps = [...new Set([...kinds.keys(), ...(drawn?.keys() ?? [])])].flatMap((request): MixGap[] => {
    const { sent, within } = kinds.get(request) ?? { sent: 0, within: 0 };
    const [sentShare, withinShare, drawnShare] = [sent / all.sent, within / all.within, drawn?.get(request) ?? null];
    const shares = { request, sentShare, withinShare, drawnShare };
    const perEnd = Math.max(sentShare, 1 - sentShare);
    const atEnds = (Math.sqrt((2 * stretches) / 3) * perEnd) / all.within;
    const withinTurns = { ...shares, gap: withinShare - sentShare, error: atEnds };
    if (drawnShare === null) return [withinTurns];
    const error = Math.sqrt((drawnShare * (1 - drawnShare)) / all.sent);
    return [withinTurns, { ...shares, gap: sentShare - drawnShare, error }];
  });
  const certain = gaps.filter(isMixed);
  return (certain.length > 0 ? certain : gaps).reduce((most, one) => (distance(one) > distance(most) ? one : most));
}

function distance({ gap }: MixGap): number {
  return Math.abs(gap);
}

/** True where a mix differs by more than 1 % of all requests, and by more than noise explains. */
export function isMixed(gap: MixGap): boolean {
  return distance(gap) > Math.max(LEAST_GAP, CERTAIN_ERRORS * gap.error);
}
