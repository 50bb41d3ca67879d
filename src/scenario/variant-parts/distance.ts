import type { z } from 'zod';
import { bandwidth, fineDuration, list, strict, withoutUndefined } from '../../base/schema-values.ts';
import type { DistanceSpec } from '../../journal/link/distance.ts';
import type { FactorValue } from '../../journal/scenario-record.ts';
import type { VariantPart } from './part.ts';

const shape = {
  rtt: fineDuration
    .optional()
    .describe('how much longer a round trip from the service to Postgres takes: 0.5ms, 500us; default 0'),
  jitter: fineDuration.optional().describe('a round trip takes up to this much more or less; default 0'),
  bandwidth: bandwidth
    .optional()
    .describe('of each direction, all connections of an arm together: 100mbit; default no limit'),
};

const schema = strict(shape, 'expected { rtt, jitter, bandwidth }, such as { rtt: 1ms }').describe(
  'how far the service is from Postgres; nothing is added by default',
);
type Written = z.output<typeof schema>;

/** How far services are from their database. */
export const distance = {
  schema,
  forAllIn: 'stack',
  factors: {
    rtt: factor('rtt', fineDuration),
    jitter: factor('jitter', fineDuration),
    bandwidth: factor('bandwidth', bandwidth),
  },
  needsPostgres: true,
  notLive: 'the connections of a running service have the way that they were opened over',
  resolve: (layers: readonly Written[]) => resolveDistance(layers),
  mistake: ({ rttMs, jitterMs = 0 }) =>
    jitterMs > rttMs ? `a jitter of ${jitterMs}ms is more than the rtt of ${rttMs}ms` : null,
} satisfies VariantPart<'distance', typeof schema>;

/** Its levels name variants, and stay as they are written. */
function factor<Schema extends typeof fineDuration | typeof bandwidth>(key: keyof Written, schema: Schema) {
  const written = (level: FactorValue): Written => ({ [key]: schema.parse(level) });
  return { schema: list(schema.in as Schema['in']), at: [key], written };
}

function resolveDistance(layers: readonly Written[]): DistanceSpec | undefined {
  const { rtt: rttMs = 0, jitter = 0, bandwidth: bandwidthMbit }: Written = Object.assign({}, ...layers);
  // No distance has nothing to vary.
  const jitterMs = rttMs > 0 && jitter > 0 ? jitter : undefined;
  return rttMs === 0 && bandwidthMbit === undefined ? undefined : withoutUndefined({ rttMs, jitterMs, bandwidthMbit });
}
