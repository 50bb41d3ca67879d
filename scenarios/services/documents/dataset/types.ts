import type { JsonObject } from '../model/document.ts';

/** One document of a data set, as a client would POST it to `/<resource>`. */
export interface Document {
  /** The endpoint: `schools`. */
  resource: string;
  body: JsonObject;
}

/** Facts about a loaded data set. */
export interface DatasetSummary {
  documents: number;
  descriptors: number;
  /** How many documents each endpoint has, by the endpoint's name. */
  byResource: Record<string, number>;
  /** SHA-256, as hex, over the documents in their order: the same fingerprint, the same data. */
  fingerprint: string;
  /** Some of the documents, spread evenly: the load updates and reads these. */
  examples: Document[];
}
