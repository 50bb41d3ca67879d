import { count } from '../../base/schema-values.ts';
import type { FactorValue } from '../../journal/scenario-record.ts';
import { MOST_INSTANCES } from '../../journal/service/instances.ts';
import type { VariantPart } from './part.ts';

const schema = count(MOST_INSTANCES);

/** How many processes the service is. */
export const instances = {
  schema: schema.describe(
    'so many processes of the service, each on a port of its own; the load is dealt to them in turn; default 1',
  ),
  factors: { instances: { schema, written: (level: FactorValue): number => Number(level) } },
  notLive: 'another number of instances are other processes',
  resolve: (layers: readonly number[]) => layers.at(-1),
  mistake: (_, { kind }) =>
    kind === 'service' || kind === 'command'
      ? null
      : 'only a service that the bench starts as one process (target: { command } or { service }) can have instances',
} satisfies VariantPart<'instances', typeof schema>;
