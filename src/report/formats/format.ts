import type { Summary } from '../../analysis/summary.ts';
import type { ReportDocument } from '../document.ts';
import type { Chart } from './chart.ts';

/** What a report is drawn from: the numbers, the sentences and tables that are made of them, and pictures. */
export interface ReportContent {
  readonly summary: Summary;
  readonly document: ReportDocument;
  readonly charts: readonly Chart[];
}

/** A file of the run folder that shows the report. */
export interface ReportFormat {
  /** Its name in the run folder. */
  readonly file: string;
  render(content: ReportContent): string;
}
