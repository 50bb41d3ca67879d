import type { Provenance } from '../../../journal/records.ts';
import type { ProvenanceChange } from '../../notes.ts';
import type { RunData } from '../run-data.ts';

/** A change of these in mid-run matters to a reader of the delta. */
const watched = [
  'pgsweepVersion',
  'gitCommit',
  'cpuModel',
  'cpuCount',
  'memoryBytes',
  'kernel',
  'nodeVersion',
  'stack',
  'postgresVersion',
] as const satisfies readonly (keyof Provenance)[];

function watchedIn(provenance: Provenance): Map<string, string | number | null> {
  const commits = Object.entries(provenance.variantCommits ?? {});
  return new Map([
    ...watched.map((name) => [name, provenance[name]] as const),
    ...commits.map(([variant, commit]) => [`variantCommits.${variant}`, commit] as const),
  ]);
}

/**
 * Rounds stay comparable, each within itself, when a run goes on elsewhere; but whoever reads the averages must know.
 */
export function changesOnResume(provenance: Provenance, turns: RunData['turns']): ProvenanceChange[] {
  let before = provenance;
  // A run that goes to and fro between two machines says so once.
  const changes = new Map<string, ProvenanceChange>();
  for (const record of turns) {
    if (record.type !== 'resume') continue;
    const were = watchedIn(before);
    for (const [name, after] of watchedIn(record.provenance)) {
      const change = { name, before: were.get(name) ?? null, after };
      if (change.before !== change.after) changes.set(JSON.stringify(change), change);
    }
    before = record.provenance;
  }
  return [...changes.values()];
}
