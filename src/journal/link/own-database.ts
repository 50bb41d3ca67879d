import { fields, oneOf, optional, text, type ValueOf } from '../shape.ts';

export const ownDatabase = {
  /** Set where the service gets no copy of a Postgres database. */
  database: optional(oneOf('none')),
  /** A command that puts the service's data back, run before each start of an arm. Absent where the copy is all there is. */
  reset: optional(text),
};
/** A variant whose service may have its own database (MySQL, Redis, a file), or none. */
interface WithOwnDatabase extends ValueOf<typeof withOwnDatabase> {}
const withOwnDatabase = fields(ownDatabase);

/** True if an arm of the variant gets a copy of a Postgres database. */
export function hasPostgres({ database }: Pick<WithOwnDatabase, 'database'>): boolean {
  return database !== 'none';
}

/** Facts that decide if a run has a Postgres. */
interface Measured {
  readonly target: { readonly kind: string };
  readonly variants: readonly Pick<WithOwnDatabase, 'database'>[];
}

/** True if a run has a Postgres. A service that already runs has its own servers, and others may need none. */
export function needsPostgres({ target, variants }: Measured): boolean {
  return target.kind !== 'url' && variants.some(hasPostgres);
}

/** True if all data of a run belong to the bench. Otherwise a database unknown to it may be at work on this machine. */
export function ownsAllData({ target, variants }: Measured): boolean {
  return target.kind !== 'url' && variants.every(hasPostgres);
}
