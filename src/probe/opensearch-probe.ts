import { createGuard } from './guard.ts';
import { createOpenSearchReader, type OpenSearchMetrics, openSearchBetween } from './opensearch.ts';
import type { AbsentProbe, Probe, ProbeContext } from './probe.ts';
import { createPlaces } from './shared-by.ts';

const NAME = 'opensearch';

/** What is counted of the node and not of an index: it stands for all arms together. */
const ofNode = /^opensearch_(gc_ops|gc_time_ms|cpu_percent|heap_used_bytes)$/;

/**
 * What OpenSearch did over a pass: in the arm's own indices, whoever's turn it was, so that what an arm has queued when
 * its turn ends is counted as its own; CPU, garbage collection and heap are the node's. Of a node that arms share whose
 * indices cannot be told apart (a url target), these alone are told.
 */
export async function openOpenSearchProbe({ opensearch, onWarning }: ProbeContext): Promise<Probe | AbsentProbe> {
  if (opensearch?.url === undefined) return { name: NAME, absent: 'the stack has no OpenSearch' };
  const reader = createOpenSearchReader(opensearch.url);
  const guard = createGuard(NAME, onWarning);
  const places = createPlaces<'node'>();
  return {
    name: NAME,
    async begin({ indexPrefix }) {
      const place = places.enter('node');
      const from = await guard(() => reader.read(indexPrefix));
      return {
        async end() {
          place.leave();
          const to = from === null ? null : await guard(() => reader.read(indexPrefix));
          if (from === null || to === null) return null;
          const values = openSearchBetween(from, to);
          return { values: place.shared && indexPrefix === undefined ? nodeAlone(values) : values };
        },
      };
    },
    close: async () => {},
  };
}

function nodeAlone(values: OpenSearchMetrics): OpenSearchMetrics {
  return Object.fromEntries(Object.entries(values).filter(([name]) => ofNode.test(name)));
}
