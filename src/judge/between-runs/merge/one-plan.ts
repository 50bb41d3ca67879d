import { dirname, relative } from 'node:path';
import { PgsweepError } from '../../../base/errors.ts';
import { leavesOf } from '../../../base/leaves.ts';
import { shortened } from '../../../base/visible.ts';
import type { Journal } from '../../../journal/journal.ts';
import type { RunRecord } from '../../../journal/records.ts';
import type { ShardRecord } from '../../../journal/run/shard-records.ts';

/** A run that may be a shard, and where it lies. */
export interface GivenRun {
  readonly place: string;
  readonly journal: Journal;
}

/** A shard of a plan. */
export interface ShardRun extends GivenRun {
  readonly shard: ShardRecord;
}

const MOST_NAMED = 3;
const MOST_CHARACTERS = 60;
/** Where a scenario holds the name of a file or a folder: it is the same where it is the same from the scenario's own folder. */
const PATHS = /(^|\.)(file|cwd|module|script|folder|files\.\d+)$/;

/**
 * The shards, by their index. Throws PgsweepError `usage` where they are not of one plan: a run is no shard, one is
 * given twice, or what was measured, how, and in which order differs. Machines, kernels and servers may differ.
 */
export function shardsOfOnePlan(runs: readonly GivenRun[]): [ShardRun, ...ShardRun[]] {
  const shards = runs.map(asShard).sort((a, b) => a.shard.index - b.shard.index);
  const [first, ...others] = shards;
  if (first === undefined) throw new PgsweepError('usage', 'there is no run to merge');
  const plan = planOf(first);
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
  if (shard !== undefined) return { place, journal, shard };
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

function requireSamePlan(first: ShardRun, plan: ReadonlyMap<string, string>, other: ShardRun): void {
  const own = planOf(other);
  const places = new Set([...plan.keys(), ...own.keys()]);
  const different = [...places].filter((place) => plan.get(place) !== own.get(place));
  if (different.length === 0) return;
  const shown = different.slice(0, MOST_NAMED).map((place) => {
    const [one, two] = [plan, own].map((values) => shortened(values.get(place) ?? 'nothing', MOST_CHARACTERS));
    return `${shortened(place, MOST_CHARACTERS)} (${one}, ${two})`;
  });
  const more = different.length - shown.length;
  throw new PgsweepError(
    'usage',
    `${first.place} and ${other.place} are not of one plan: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''} differ`,
    { hint: 'All shards need the same scenario, commit, data, --seed, --rounds and pgsweep.' },
  );
}

/** Facts that all shards of a plan have in common, by name. */
function planOf({ journal: { run }, shard }: ShardRun): Map<string, string> {
  const { scenario, provenance, seed, version, quick } = run;
  const { pgsweepVersion, gitCommit, variantCommits, distanceBy, ownServers, dataset } = provenance;
  const data = dataset && { name: dataset.name, documents: dataset.documents, fingerprint: dataset.fingerprint };
  const folder = dirname(scenario.file);
  const ofScenario = leavesOf('', scenario).map(([place, value]): [string, string] => [
    place,
    PATHS.test(place) ? relative(folder, value) : value,
  ]);
  return new Map<string, string>([
    ...leavesOf('', { shards: shard.count, seed, pgsweepVersion, gitCommit, variantCommits }),
    ...leavesOf('', { journalVersion: version, quick, distanceBy, ownServers }),
    ...leavesOf('the data set', data),
    ...ofScenario,
    ...secretsOf(run),
  ]);
}

/** Digests that were made with different keys are no news of what they are of. */
function secretsOf({ secrets }: RunRecord): [string, string][] {
  if (secrets === undefined || secrets.key === null) return [];
  return Object.entries(secrets.digests).map(([place, digest]) => [`${place} (key ${secrets.key})`, digest]);
}
