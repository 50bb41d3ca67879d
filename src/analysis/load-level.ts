import type { LoadLevel } from '../journal/scenario-record.ts';

/** Tells load levels apart. */
export function loadKey(load: LoadLevel): string {
  return `connections=${load.connections}`;
}

/** A load level for people: `25 connections`. */
export function loadLabel(load: LoadLevel): string {
  return load.connections === 1 ? '1 connection' : `${load.connections} connections`;
}
