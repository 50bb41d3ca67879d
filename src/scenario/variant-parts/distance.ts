import type { z } from 'zod';
import { bandwidth, fineDuration, list, strict } from '../../base/schema-values.ts';
import { parseBandwidthMbit, parseFineDurationMs } from '../../base/units.ts';
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

function factor<Schema extends z.ZodType>(key: keyof Written, schema: Schema) {
  return { schema: list(schema), at: [key], written: (level: FactorValue): Written => ({ [key]: String(level) }) };
}

function resolveDistance(layers: readonly Written[]): DistanceSpec | undefined {
  const { rtt, jitter, bandwidth } = Object.assign({}, ...layers) as Written;
  const rttMs = parseFineDurationMs(rtt ?? 0) ?? 0;
  // No distance has nothing to vary.
  const jitterMs = rttMs === 0 ? 0 : (parseFineDurationMs(jitter ?? 0) ?? 0);
  const bandwidthMbit = bandwidth === undefined ? null : parseBandwidthMbit(bandwidth);
  if (rttMs === 0 && bandwidthMbit === null) return undefined;
  return { rttMs, ...(jitterMs > 0 && { jitterMs }), ...(bandwidthMbit !== null && { bandwidthMbit }) };
}
