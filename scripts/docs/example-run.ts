import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { type Summary, summarize } from '../../src/analysis/summary.ts';
import { openJournal, readJournal } from '../../src/journal/journal.ts';
import { loadLabel } from '../../src/journal/load-level.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { documentOf } from '../../src/report/document.ts';
import type { Table } from '../../src/report/tables/table.ts';

/** The recorded run that the docs show: a default sweep, thinned. */
export const exampleFolder = 'docs/examples/pool-size-run';

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

/** The answer, the advice, the table of one load level and how to read a cell of it, as Markdown. */
export function exampleExcerpt(summary: Summary): string {
  const report = documentOf(summary);
  const load = summary.run.loads[1] ?? summary.run.loads[0];
  const section = load && report.sections.find(({ heading }) => heading === loadLabel(load));
  const change = section?.tables.find(({ title }) => title.startsWith('Change'));
  if (section === undefined || change === undefined) throw new Error('the example run has no table of changes');
  return [
    bullets(report.headline),
    `**Recommended**\n\n${bullets(report.recommendation)}`,
    report.run,
    `**${section.heading}: ${change.title.toLowerCase()}**\n\n${tableOf(change)}`,
    `\`${change.rows[0]?.[1]?.text}\` is the change of ${change.columns[1]?.head} against the control, the interval that it lies in, and the verdict.`,
  ].join('\n\n');
}

function bullets(sentences: readonly string[]): string {
  return sentences.map((sentence) => `- ${sentence}`).join('\n');
}

function tableOf({ columns, rows }: Table): string {
  return markdownTable([columns.map(({ head }) => head), ...rows.map((row) => row.map(({ text }) => text))], {
    align: columns.map(({ align }) => (align === 'left' ? 'l' : 'r')),
  });
}
