import { emptyTables } from '../../../journal/sample.ts';
import type { ResolvedScenario, Variant } from '../../../journal/scenario-record.ts';
import type { AppliedTreatment } from '../../../journal/treatment-records.ts';
import type { Stack } from '../../stack/stack.ts';
import type { EmitEvent } from '../events.ts';
import type { PostgresFacts } from '../provenance.ts';
import { type DatabaseOptions, openDatabase, type SessionContext } from '../servers/session-database.ts';

/** A round's own database, as the variant wants it. */
export interface BulkDatabase {
  readonly url: string;
  readonly treatment: readonly AppliedTreatment[];
}

/** The databases of a bulk load: one a round, each with the service's tables and nothing in them. */
export interface BulkDatabases {
  readonly postgres: PostgresFacts;
  /** Makes a round's database, at the same distance from a checkpoint as any other's. */
  make(round: number): Promise<BulkDatabase>;
  drop(round: number): Promise<void>;
}

/** Boots Postgres and makes the template. Throws PgsweepError `stack`, and `scenario` for a change that cannot be made. */
export async function openBulkDatabases(
  {
    stack: spec,
    folder,
    variant,
  }: Pick<DatabaseOptions, 'folder'> & Pick<ResolvedScenario, 'stack'> & { readonly variant: Variant },
  { emit, stack, ...resources }: SessionContext & { readonly emit: EmitEvent; readonly stack: Stack },
): Promise<BulkDatabases> {
  const scenario = { stack: spec, dataset: emptyTables, variants: [variant], probesOff: 'all' } as const;
  const arm = { name: variant.name, variant, repeat: false, slot: 0 };
  const { postgres, databases } = await openDatabase({ scenario, arms: [arm], stack, folder, emit }, resources);
  const nameOf = (round: number): string => `pgsweep_bulk_${round}`;
  return {
    postgres,
    async make(round) {
      await databases.open(round);
      const copy = await databases.copy(nameOf(round), arm);
      await databases.checkpoint();
      return copy;
    },
    async drop(round) {
      await databases.drop(nameOf(round));
      await databases.close();
    },
  };
}
