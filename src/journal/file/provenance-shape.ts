import { distanceWays } from '../link/distance.ts';
import { ownServersReasons } from '../run/provenance-record.ts';
import { amount, byName, count, fields, oneOf, orNull, text } from './shape.ts';

const textByName = byName(text);
const countByName = byName(count);
const loaded = { name: text, documents: count, byResource: countByName, fingerprint: orNull(text), loadMs: amount };
/** Where and on what a run was made. */
export const provenanceShape = fields({
  pgsweepVersion: text,
  gitCommit: orNull(text),
  'variantCommits?': textByName,
  cpuModel: text,
  cpuCount: count,
  memoryBytes: amount,
  kernel: text,
  nodeVersion: text,
  stack: text,
  'stackReason?': text,
  'stackNote?': text,
  postgresVersion: orNull(text),
  postgresBinaries: orNull(text),
  postgresSettings: textByName,
  'ownServers?': oneOf(...ownServersReasons),
  'poolerVersion?': text,
  'distanceBy?': oneOf(...distanceWays),
  'distanceReason?': text,
  'openSearchVersion?': text,
  'openSearchRuntime?': text,
  dataset: orNull(fields(loaded)),
});
