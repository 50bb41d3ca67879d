import type { Summary } from '../../analysis/summary.ts';
import type { ReportDocument } from '../document.ts';
import type { Chart } from './chart.ts';

/** The content that every format draws: the numbers, the sentences and tables that are made of them, and pictures. */
export interface ReportContent {
  readonly summary: Summary;
  readonly document: ReportDocument;
  readonly charts: readonly Chart[];
  /** The run's folder, as its readers may name it: without what lies above `results` or itself. */
  readonly folder: string;
}

/** A file of the run folder that shows the report. */
export interface ReportFormat {
  /** Its name in the run folder. */
  readonly file: string;
  render(content: ReportContent): string;
}
