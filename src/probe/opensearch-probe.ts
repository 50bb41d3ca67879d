import { createGuard } from './guard.ts';
import { createOpenSearchReader, openSearchBetween } from './opensearch.ts';
import type { AbsentProbe, Probe, ProbeContext } from './probe.ts';

const NAME = 'opensearch';

/** What the OpenSearch node did over a slice. What an arm has queued when its slice ends falls into the next one's. */
export async function openOpenSearchProbe({ opensearch, onWarning }: ProbeContext): Promise<Probe | AbsentProbe> {
  if (opensearch?.url === undefined) return { name: NAME, absent: 'the stack has no OpenSearch' };
  const reader = createOpenSearchReader(opensearch.url);
  const guard = createGuard(NAME, onWarning);
  return {
    name: NAME,
    async begin() {
      const from = await guard(() => reader.read());
      return {
        async end() {
          const to = from === null ? null : await guard(() => reader.read());
          return from === null || to === null ? null : { values: openSearchBetween(from, to) };
        },
      };
    },
    close: async () => {},
  };
}
