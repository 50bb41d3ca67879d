import { withoutUndefined } from '../../base/schema-values.ts';
import type { DistanceSpec } from '../../journal/link/distance.ts';
import { plural } from '../../judge/format.ts';
import { CHECK } from '../words/commands.ts';
import type { ReportPart } from './part.ts';

/** How far a service is from its database. */
export const distance = {
  words,
  without: 'direct',
  measured({ distance: seen }) {
    if (seen === undefined) return [];
    return [
      `distance ${words(seen.asked)}`,
      `a round trip of SELECT 1 took ${ms(seen.p50Ms)} longer than a direct one (p99 ${ms(seen.p99Ms)})`,
    ];
  },
  facts({ distanceBy, distanceReason }) {
    if (distanceBy === undefined) return [];
    const why = distanceReason === undefined ? '' : ` (not netem: ${distanceReason})`;
    const by =
      distanceBy === 'netem' ? 'netem, before the network namespace of the server' : `a proxy for each arm${why}`;
    return [['distance by', by]];
  },
  written(spec) {
    const { rttMs, jitterMs, bandwidthMbit } = spec ?? { rttMs: 0 };
    return withoutUndefined({
      rtt: `${rttMs}ms`,
      jitter: jitterMs && `${jitterMs}ms`,
      bandwidth: bandwidthMbit && `${bandwidthMbit}mbit`,
    });
  },
  notes: {
    'distance-off': (note) =>
      `the database of ${note.variant} was ${ms(note.p50Ms)} away where ${note.askedMs} ms were asked for, off by more than a tenth (of it, or of a millisecond) in ${note.off} of ${plural(note.looks, 'look')}`,
  },
  remedies: { 'distance-off': `${CHECK} measures it while nothing else runs.` },
} satisfies ReportPart<DistanceSpec>;

/** `1 ms ± 0.1 ms, 100 Mbit/s` */
function words({ rttMs, jitterMs, bandwidthMbit }: DistanceSpec): string {
  const jitter = jitterMs === undefined ? '' : ` ± ${jitterMs} ms`;
  return [`${rttMs} ms${jitter}`, ...(bandwidthMbit === undefined ? [] : [`${bandwidthMbit} Mbit/s`])].join(', ');
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
