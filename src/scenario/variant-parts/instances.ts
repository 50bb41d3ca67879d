import { count, list } from '../../base/schema-values.ts';
import type { FactorValue } from '../../journal/scenario-record.ts';
import { MOST_INSTANCES } from '../../journal/service/instances.ts';
import type { VariantPart } from './part.ts';

const schema = count(MOST_INSTANCES);

/** How many processes the service is. */
export const instances = {
  schema: schema.describe('processes of the service, each with its own port; load is dealt in order; default 1'),
  forAllIn: 'target',
  factors: { instances: { schema: list(schema), at: [], written: (level: FactorValue): number => Number(level) } },
  notLive: 'another number of instances are other processes',
  resolve: (layers: readonly number[]) => layers.at(-1),
  mistake: (_, { kind }) =>
    kind === 'services'
      ? 'only a service that is one process (target: { command } or { service }) can have instances'
      : null,
} satisfies VariantPart<'instances', typeof schema>;
