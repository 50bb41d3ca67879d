import type { BulkCheck, BulkRecord } from '../journal/bulk-records.ts';
import type { DatasetRecord } from '../journal/records.ts';
import type { BuiltInWorkload, EdFiSpec, TemplateSpec } from '../journal/scenario-record.ts';
import type { BulkJob, BulkResult, BulkStream } from './load/load-generator.ts';
import type { RequestSource } from './load/request-source.ts';
import type { GeneratedRequest } from './load/requests/generated-request.ts';
import type { ExampleDocument, WorkloadContext } from './load/workload-module.ts';

/** The sample service's data, workloads and bulk loads. Apart from them it is measured like any other service. */
export interface Sample {
  /** Makes its tables in an empty database. */
  createSchema(databaseUrl: string): Promise<void>;
  /** Fills an empty database. Throws PgsweepError `dataset`. */
  loadDataset(spec: TemplateSpec | EdFiSpec, databaseUrl: string, options: SampleLoading): Promise<LoadedDataset>;
  /** Requests of a built-in workload. Throws PgsweepError `dataset` if it needs documents that were not loaded. */
  workload(name: BuiltInWorkload, context: WorkloadContext): RequestSource;
  /** Request that posts the first document of a template, which refers to no other. */
  firstRequest(spec: TemplateSpec): Promise<GeneratedRequest>;
  openBulkLoad(job: BulkJob, signal?: AbortSignal): Promise<BulkLoading>;
  /** Compares a database with the bulk load into it; null without the sample's tables. */
  checkBulk(databaseUrl: string, bulk: BulkRecord): Promise<BulkCheck | null>;
}

export interface SampleLoading {
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface LoadedDataset {
  /** Null if the scenario asks for an empty database. */
  readonly record: DatasetRecord | null;
  /** Some of the documents, for workloads to read and change. */
  readonly examples: readonly ExampleDocument[];
}

/** A bulk load in turns, as `BulkStream`, with the documents that later jobs may draw on. */
export interface BulkLoading extends Pick<BulkStream, 'turn'> {
  readonly url: string;
  close(): Promise<BulkLoaded>;
}

export interface BulkLoaded {
  readonly result: BulkResult;
  /** Some of the accepted documents, with the ids that the service gave. */
  readonly examples: readonly ExampleDocument[];
}

/** Loads the sample by its name: only scenarios that use it need its code. */
export async function loadSample(): Promise<Sample> {
  const { sample } = await import('../sample/sample.ts');
  return sample;
}
