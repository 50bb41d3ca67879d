import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import type { Summary } from '../../judge/summary.ts';
import type { CommentSection } from '../comments.ts';
import type { ReportDocument, UnderWay } from '../document.ts';
import type { Pictures } from '../pictures/pictures.ts';
import type { Chart } from './chart.ts';

/** The content that every format draws: the numbers, the sentences and tables that are made of them, and pictures. */
export interface ReportContent {
  readonly scenario: ResolvedScenario;
  readonly summary: Summary;
  readonly document: ReportDocument;
  readonly pictures: Pictures;
  readonly charts: readonly Chart[];
  /** A user's comments on the run; empty where there are none. */
  readonly comments: readonly CommentSection[];
  /** The run's folder from the working folder; RUN where it lies elsewhere. */
  readonly folder: string;
  /** Null once the run has ended. */
  readonly underWay: UnderWay | null;
}

/** A file of the run folder that shows the report. */
export interface ReportFormat {
  /** Its name in the run folder. */
  readonly file: string;
  render(content: ReportContent): string;
}
