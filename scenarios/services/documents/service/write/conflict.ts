import pg from 'pg';

/** Another transaction got in the way; the same write may well succeed if it starts again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly reason: ConflictReason;

  constructor(reason: ConflictReason) {
    super(reason);
    this.reason = reason;
  }
}

export const conflictReasons = [
  'lock_not_available',
  'deadlock_detected',
  'serialization_failure',
  'unique_violation',
  /** A row was rewritten or deleted between two statements of the transaction. */
  'row_changed',
] as const;

export type ConflictReason = (typeof conflictReasons)[number];

const reasonBySqlState: Readonly<Record<string, ConflictReason>> = {
  '55P03': 'lock_not_available',
  '40P01': 'deadlock_detected',
  '40001': 'serialization_failure',
  // Every unique index here is on an id that a concurrent insert of the same natural key, or superclass key, claims too.
  '23505': 'unique_violation',
};

/** Why a write should start again, or null where that would not help. */
export function conflictReason(error: unknown): ConflictReason | null {
  if (error instanceof ConflictError) return error.reason;
  return error instanceof pg.DatabaseError ? (reasonBySqlState[error.code ?? ''] ?? null) : null;
}
