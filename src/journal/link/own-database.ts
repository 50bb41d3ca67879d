import { fields, oneOf, optional, text, type ValueOf } from '../shape.ts';

export const ownDatabase = {
  /** Set where the service gets no copy of a Postgres database. */
  database: optional(oneOf('none')),
  /** A command that puts the service's data back, run before each start of an arm. Absent where the copy is all there is. */
  reset: optional(text),
};
/** A variant whose service may have a database of its own (MySQL, Redis, a file), or none. */
interface WithOwnDatabase extends ValueOf<typeof withOwnDatabase> {}
const withOwnDatabase = fields(ownDatabase);

/** Whether an arm of the variant gets a copy of a Postgres database. */
export function hasPostgres({ database }: Pick<WithOwnDatabase, 'database'>): boolean {
  return database !== 'none';
}

/** What decides whether a run has a Postgres. */
interface Measured {
  readonly target: { readonly kind: string };
  readonly variants: readonly Pick<WithOwnDatabase, 'database'>[];
}

/** Whether a run has a Postgres: a service that already runs has servers of its own, and others may need none. */
export function needsPostgres({ target, variants }: Measured): boolean {
  return target.kind !== 'url' && variants.some(hasPostgres);
}

/** Whether all data of a run are the bench's: a database that it knows nothing of may be at work on the same machine. */
export function ownsAllData({ target, variants }: Measured): boolean {
  return target.kind !== 'url' && variants.every(hasPostgres);
}
