import type { LoadLevel } from './scenario-record.ts';

/** Tells load levels apart. */
export function loadKey({ connections, bulk, workload }: LoadLevel): string {
  return [...(bulk ? ['bulk'] : []), ...(workload === undefined ? [] : [workload]), `connections=${connections}`].join(
    ' ',
  );
}

/** The rows of one load level. */
export function underLoad<T extends { readonly load: LoadLevel }>(rows: readonly T[], load: LoadLevel): T[] {
  return rows.filter((row) => loadKey(row.load) === loadKey(load));
}

/** A load level for people: `25 connections`, `bulk load, 25 connections`, `get-documents, 25 connections`. */
export function loadLabel({ connections, bulk, workload }: LoadLevel): string {
  const intensity = connections === 1 ? '1 connection' : `${connections} connections`;
  return [...(bulk ? ['bulk load'] : []), ...(workload === undefined ? [] : [workload]), intensity].join(', ');
}
