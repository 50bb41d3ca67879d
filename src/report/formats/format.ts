import type { Summary } from '../../analysis/summary.ts';
import type { CommentSection } from '../comments.ts';
import type { ReportDocument } from '../document.ts';
import type { Chart } from './chart.ts';

/** The content that every format draws: the numbers, the sentences and tables that are made of them, and pictures. */
export interface ReportContent {
  readonly summary: Summary;
  readonly document: ReportDocument;
  readonly charts: readonly Chart[];
  /** What people wrote about the run. */
  readonly comments: readonly CommentSection[];
}

/** A file of the run folder that shows the report. */
export interface ReportFormat {
  /** Its name in the run folder. */
  readonly file: string;
  render(content: ReportContent): string;
}
