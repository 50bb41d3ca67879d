import { aggregateRun } from '../../src/analysis/read/aggregate-run.ts';
import { summarize } from '../../src/analysis/summary.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { ReportContent } from '../../src/report/formats/format.ts';
import { reportContent } from '../../src/report/report-content.ts';

/** A report of a journal; by default its folder holds nothing else. */
export function contentOf(journal: Journal, folder = '/no/such/folder'): ReportContent {
  const data = aggregateRun(journal);
  return reportContent(folder, data, summarize(journal, data));
}
