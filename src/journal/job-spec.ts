import { amount, byKind, count, either, fields, flag, number, oneOf, optional, text, type ValueOf } from './shape.ts';

/** Work that runs once against a database: an SQL file as psql runs it, or a command. File names are absolute. */
export type JobSource = ValueOf<typeof jobSource>;
export const jobSource = byKind({
  sql: fields({ kind: oneOf('sql'), file: text }),
  command: fields({ kind: oneOf('command'), command: text, cwd: text }),
});

/** The rows that a job must leave: the first value that `sql` returns, as text. */
export interface JobCheck extends ValueOf<typeof jobCheck> {}
const jobCheck = fields({ sql: text, equals: either(text, number, flag) });

/** The job of a scenario; a variant may have another source. Its time limit and its repetitions stand in `bounded`. */
export interface JobSpec extends ValueOf<typeof jobSpec> {}
export const jobSpec = fields({
  /** Absent where each variant has its own. */
  source: optional(jobSource),
  check: optional(jobCheck),
  /** Set where nothing of the database is in shared_buffers when the job starts. */
  cold: optional(oneOf(true)),
});

/** State of shared_buffers when a job started: read in before, emptied before, or as the copy left it. */
const bufferStates = ['warm', 'cold', 'as copied'] as const;

/** The runs of a job in a slice. */
export interface JobRecord extends ValueOf<typeof jobRecord> {}
export const jobRecord = fields({
  runs: count,
  buffers: oneOf(...bufferStates),
  /** CPU of its command and the processes that the command waited for, in ms. Absent for SQL, and where it is not known. */
  cpuMs: optional(amount),
});
