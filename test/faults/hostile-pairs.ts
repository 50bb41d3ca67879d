import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode } from '../../src/base/errors.ts';
import { openJournal } from '../../src/journal/journal.ts';
import type { RunRecord } from '../../src/journal/records.ts';
import { run } from '../cli/in-process.ts';
import { harmsIn, withoutCode } from '../support/harmless.ts';
import { runNamed } from './hostile-run.ts';

/** What `report` and `merge` write. */
export const REPORT_FILE =
  /^(report\.md|report\.html|classic\.md|summary\.json|(averages|deltas|metrics)\.csv|charts\/(requests_per_s|(latency|loads|time)(-\d+)+)\.svg|samples\/[a-z][a-z0-9-]*\.csv)$/;

const FIT_OR_NOT: readonly number[] = [ExitCode.done, ExitCode.unfit];
const SHARDS = 2;
/** How a comparison is printed, and as which kind of file. */
const printed = [
  { flags: [], as: 'comparison.md' },
  { flags: ['--json'], as: 'comparison.json' },
  { flags: ['--csv'], as: 'comparison.csv' },
] as const;

interface Pair {
  /** Of the try: each prints a comparison in another way. */
  readonly number: number;
  /** What pages have of their own. */
  readonly tags: ReadonlySet<string>;
}

/** What is obeyed in the comparison of two runs with names of somebody else, and in the run that two shares of one become. */
export async function pairFaults(folder: string, names: readonly string[], { number, tags }: Pair): Promise<string[]> {
  const { flags, as } = printed[number % printed.length] ?? printed[0];
  const [base, head] = ['base', 'head'].map((name) => written(join(folder, name), names, { id: name }));
  const compared = await run('compare', '--no-limits', base ?? '', head ?? '', ...flags);
  // The scenario that would settle it stands in a block of code.
  const out = as.endsWith('.md') ? withoutCode(compared.out) : compared.out;
  const harms = [...harmsIn(as, out, tags), ...harmsIn('stderr', compared.err, tags)];
  return [
    ...(FIT_OR_NOT.includes(compared.code) ? harms : [`exit code ${compared.code}: ${compared.err}`]).map(
      (harm) => `compare ${flags.join(' ')}: ${harm}`,
    ),
    ...(await mergeFaults(folder, names, tags)).map((harm) => `merge: ${harm}`),
  ];
}

async function mergeFaults(folder: string, names: readonly string[], tags: ReadonlySet<string>): Promise<string[]> {
  const shares = Array.from({ length: SHARDS }, (_, place) => {
    const index = place + 1;
    const machine = { id: `${index}`, name: names[place] ?? '' };
    return written(join(folder, `share-${index}`), names, {
      id: `${index}`,
      shard: { index, count: SHARDS, machine },
    });
  });
  const merged = join(folder, 'merged');
  const { code, out, err } = await run('merge', '--no-limits', ...shares, '--out', merged, '--full');
  if (!FIT_OR_NOT.includes(code)) return [`exit code ${code}: ${err}`];
  // The journal is for programs, and holds names as they are.
  const files = readdirSync(merged, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name !== 'journal.jsonl' && statSync(join(merged, name)).isFile(),
  );
  const texts = files.map((name) => [name, readFileSync(join(merged, name), 'utf8')] as const);
  return [
    ...files.filter((name) => !REPORT_FILE.test(name)).map((name) => `wrote ${JSON.stringify(name)}`),
    ...[['stdout', out] as const, ['stderr', err] as const, ...texts].flatMap(([name, text]) =>
      harmsIn(name, text, tags).map((harm) => `${name}: ${harm}`),
    ),
  ];
}

/** A run folder of such names; of a share with its own rounds alone. Returns it. */
function written(path: string, names: readonly string[], head: Pick<RunRecord, 'id' | 'shard'>): string {
  const named = runNamed(names);
  const { shard } = head;
  mkdirSync(path, { recursive: true });
  const journal = openJournal(join(path, 'journal.jsonl'));
  journal.append({ ...named.run, ...head });
  for (const record of named.records) {
    const isOthers = shard !== undefined && 'round' in record && (record.round - shard.index) % shard.count !== 0;
    if (!isOthers) journal.append(record);
  }
  journal.close();
  return path;
}
