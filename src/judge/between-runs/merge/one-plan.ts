import { PgsweepError } from '../../../base/errors.ts';
import { leavesOf } from '../../../base/leaves.ts';
import { shortened } from '../../../base/visible.ts';
import type { Journal } from '../../../journal/journal.ts';
import type { ShardRecord } from '../../../journal/run/shard-records.ts';
import { scenarioFacts } from './scenario-facts.ts';
import { type Sitting, sittingsOf } from './sittings.ts';

/** A run that may be a shard, and where it lies. */
export interface GivenRun {
  readonly place: string;
  readonly journal: Journal;
}

/** A shard of a plan. */
export interface ShardRun extends GivenRun {
  readonly shard: ShardRecord;
  /** The first is where it began. */
  readonly sittings: readonly [Sitting, ...Sitting[]];
}

const MOST_NAMED = 3;
const MOST_CHARACTERS = 60;

/**
 * The shards, by their index. Throws PgsweepError `usage` where they are not of one plan: a run is no shard, one is
 * given twice, or what was measured, how, and in which order differs. Machines, kernels and servers may differ.
 */
export function shardsOfOnePlan(runs: readonly GivenRun[]): [ShardRun, ...ShardRun[]] {
  const shards = runs.map(asShard).sort((a, b) => a.shard.index - b.shard.index);
  const [first, ...others] = shards;
  if (first === undefined) throw new PgsweepError('usage', 'there is no run to merge');
  const plan = planOf(first);
  for (const shard of shards) requireSameWhenResumed(shard);
  for (const other of others) requireSamePlan(first, plan, other);
  for (const [place, shard] of others.entries()) {
    const before = shards[place];
    if (before?.shard.index !== shard.shard.index) continue;
    throw new PgsweepError('usage', `${before.place} and ${shard.place} are both shard ${shareOf(shard)}`, {
      hint: 'Each share counts once, and which of two runs of it is merged must not be chosen by their results: name the one that was begun first.',
    });
  }
  return [first, ...others];
}

function asShard({ place, journal }: GivenRun): ShardRun {
  const { shard, merged } = journal.run;
  if (shard !== undefined) return { place, journal, shard, sittings: sittingsOf(journal, shard) };
  throw new PgsweepError('usage', `${place} ${merged === undefined ? 'is no shard of a plan' : 'was merged already'}`, {
    hint:
      merged === undefined
        ? 'What is merged was run by pgsweep sweep --shard i/n: rounds of runs that end when they know enough cannot be put together.'
        : 'Name the shards that it was made from.',
  });
}

function shareOf({ shard }: ShardRun): string {
  return `${shard.index} of ${shard.count}`;
}

/** Rounds of a shard may be made elsewhere, but of the same code and data. A session without a complete round does not matter. */
function requireSameWhenResumed({ place, sittings: [first, ...others] }: ShardRun): void {
  const plan = factsOf(first);
  for (const other of others.filter(({ rounds }) => rounds > 0)) {
    const own = factsOf(other);
    const different = differencesOf(plan, own);
    if (different === null) continue;
    throw new PgsweepError('usage', `${place} is not of one plan: when it was resumed, ${different} had changed`, {
      hint: 'Run this shard again, from the start, with what the other shards ran with.',
    });
  }
}

function requireSamePlan(first: ShardRun, plan: Facts, other: ShardRun): void {
  const different = differencesOf(plan, planOf(other));
  if (different === null) return;
  throw new PgsweepError('usage', `${first.place} and ${other.place} are not of one plan: ${different} differ`, {
    hint: 'All shards need the same scenario, commit, data, --seed, --rounds and pgsweep.',
  });
}

/** Facts that differ, with both values; null where none does. */
function differencesOf(plan: Facts, own: Facts): string | null {
  const known = new Map([...plan.known, ...own.known]);
  const places = [...known.keys(), ...[...plan.secrets.keys()].filter((place) => own.secrets.has(place))];
  const valueIn = ({ known, secrets }: Facts, place: string) => known.get(place) ?? secrets.get(place);
  const different = places.filter((place) => valueIn(plan, place) !== valueIn(own, place));
  if (different.length === 0) return null;
  const shown = different.slice(0, MOST_NAMED).map((place) => {
    const [one, two] = [plan, own].map((facts) => shortened(valueIn(facts, place) ?? 'nothing', MOST_CHARACTERS));
    return `${shortened(place, MOST_CHARACTERS)} (${one}, ${two})`;
  });
  const more = different.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Facts by name. */
interface Facts {
  readonly known: ReadonlyMap<string, string>;
  /** Digests of secrets. Digests that were made with different keys cannot be compared, so the key is part of the name. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Facts that all shards of a plan have in common. */
function planOf({ journal: { run }, shard, sittings: [first] }: ShardRun): Facts {
  const { seed, version, quick } = run;
  const { known, secrets } = factsOf(first);
  const ofPlan = leavesOf('', { shards: shard.count, seed, journalVersion: version, quick });
  return { known: new Map<string, string>([...ofPlan, ...known, ...scenarioFacts(run)]), secrets };
}

/** Facts that all sessions of a plan have in common. */
function factsOf({ provenance, secrets }: Sitting): Facts {
  const { pgsweepVersion, gitCommit, variantCommits, distanceBy, ownServers, dataset } = provenance;
  const data = dataset && { name: dataset.name, documents: dataset.documents, fingerprint: dataset.fingerprint };
  const digests = Object.entries(secrets?.key == null ? {} : secrets.digests);
  return {
    known: new Map<string, string>([
      ...leavesOf('', { pgsweepVersion, gitCommit, variantCommits, distanceBy, ownServers }),
      ...leavesOf('the data set', data),
    ]),
    secrets: new Map(digests.map(([place, digest]) => [`${place} (key ${secrets?.key})`, digest])),
  };
}
