import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal, readJournal } from '../../src/journal/journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import { documentOf } from '../../src/report/document.ts';
import { firstScreenMarkdown } from '../../src/report/formats/markdown.ts';

/** The recorded run that the docs show: a default sweep, thinned. */
export const exampleFolder = 'docs/examples/pool-size-run';
/** Its folder as the user's own would be called. */
export const exampleName = 'results/pool-size-2026-01-31T10-00-00';

/** What explains the example's numbers; statements, plans and tables would be ten times as long. */
const keptProbes: ReadonlySet<string> = new Set(['wait-events', 'processes', 'pg-stat-database']);

/** Copies a run for the example: its journal without most of what probes saw. */
export function thinRun(from: string, to: string): void {
  const { run, records } = readJournal(join(from, 'journal.jsonl'));
  const file = join(to, 'journal.jsonl');
  mkdirSync(to, { recursive: true });
  rmSync(file, { force: true });
  const writer = openJournal(file);
  writer.append({ ...run, provenance: { ...run.provenance, kernel: withoutBuild(run.provenance.kernel) } });
  for (const record of records) {
    const thin = thinned(record);
    if (thin !== null) writer.append(thin);
  }
  writer.close();
}

/** `Linux 6.18.44`: what follows may be somebody's name for their own build. */
function withoutBuild(kernel: string): string {
  return /^\S+ [\d.]+/.exec(kernel)?.[0] ?? kernel;
}

function thinned(record: JournalRecord): JournalRecord | null {
  if (record.type !== 'probe') return record;
  const { rows: _, ...rest } = record;
  return keptProbes.has(record.probe) ? rest : null;
}

/** The example, judged as it would be today. */
export function exampleSummary(folder = exampleFolder): Summary {
  return summarize(readJournal(join(folder, 'journal.jsonl')));
}

/** The first screen, and how to read a change, as Markdown. */
export function exampleExcerpt(summary: Summary): string {
  const report = documentOf(summary);
  const [variant, metric, load, change] = report.first.table?.rows[0] ?? [];
  if (change === undefined) throw new Error('nothing in the example run has a verdict');
  return [
    firstScreenMarkdown(report, exampleName),
    `\`${change.text}\` is the change of ${variant?.text} against the control in ${metric?.text} with ${load?.text.replace(/ \(\+\d+\)$/, '')}, its interval, and its verdict.`,
  ].join('\n\n');
}
