import type { Journal } from '../../src/journal/journal.ts';
import { aggregateRun } from '../../src/judge/read/aggregate-run.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import type { ReportContent } from '../../src/report/formats/format.ts';
import { reportContent } from '../../src/report/write-report.ts';

/** A report of a journal, whose summary may be known; by default its folder holds nothing else. */
export function contentOf(journal: Journal, folder = '/no/such/folder', summary?: Summary): ReportContent {
  const data = aggregateRun(journal);
  return reportContent(folder, data, summary ?? summarize(journal, data));
}
