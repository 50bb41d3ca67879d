import { z } from 'zod';
import { count, strict } from '../../../base/schema-values.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import type { Problem } from '../../problem.ts';
import type { RequestDocument } from '../../script/request-shape.ts';
import type { Around, KindOfLoad, Written } from '../kind.ts';
import { sizesOf } from '../sizes.ts';

const keys = {
  autocannon: z
    .union(
      [
        z.literal(true),
        strict({
          pipelining: count(1000).optional().describe('requests that each connection has under way; default 1'),
          workers: count(64).optional().describe('processes, each with its own autocannon; default 1'),
        }),
      ],
      { error: 'expected true, or { pipelining, workers }' },
    )
    .optional()
    .describe('autocannon sends the requests of these connections, in whole slices'),
};

interface AutocannonDocument extends Written<typeof keys> {
  readonly connections?: readonly number[];
  readonly requests?: readonly RequestDocument[];
}

/** Keys that a load by autocannon cannot have, and what to do about each. */
const refused = {
  rate: 'its rates are counts a second on each connection: expected load.connections, or no load.autocannon',
  arrivals: 'it sends when an answer has come: leave it out',
  inFlight: 'it sends when an answer has come: leave it out',
  users: 'it has no pauses: expected load.connections, or no load.autocannon',
  script: 'it cannot capture what later requests send: expected load.requests, or no load.autocannon',
  data: 'it has no users: leave it out',
  sessions: 'it has no users: leave it out',
  think: 'it has no pauses: leave it out',
  count: 'load.slice says how long it takes: leave it out',
  capacity: 'expected load.connections, or no load.autocannon',
  bulk: 'expected load.bulk or load.autocannon, not both',
  k6: 'expected load.k6 or load.autocannon, not both',
  turn: 'it starts for each slice: leave it out',
  processes: 'expected load.autocannon: { workers }',
};

/** Connections whose requests autocannon sends. */
export const autocannon = {
  keys,
  takesOver: true,
  isDealt: true,
  needs: { oneOf: ['connections'], message: 'load.autocannon: expected load.connections' },
  refuses: Object.fromEntries(
    Object.entries(refused).map(([key, expected]) => [key, `load.${key} is not for load.autocannon: ${expected}`]),
  ),
  isWhole: () => true,
  notLive: 'load.autocannon: settings that are switched live take short turns, and autocannon whole slices',
  levels({ autocannon: written, connections = [1], requests = [] }: AutocannonDocument, { problems }: Around) {
    const { pipelining = 1, workers = 1 } = typeof written === 'object' ? written : {};
    problems.push(...requests.flatMap(requestMistakes));
    return {
      levels: sizesOf(connections, 'connections', problems).map((size) => ({
        connections: size,
        of: 'autocannon' as const,
      })),
      ...(pipelining > 1 && { pipelining }),
      ...(workers > 1 && { processes: workers }),
    };
  },
  mistakes({ target }: { readonly target?: { readonly url?: string } }, variants: readonly Variant[]): Problem[] {
    const url = [target?.url, ...variants.map((variant) => variant.url)].find((one) => one?.startsWith('https:'));
    if (url === undefined) return [];
    const message = `load.autocannon: it checks no certificate, so ${url} could be any server: leave load.autocannon out`;
    return [{ path: ['load', 'autocannon'], message }];
  },
} satisfies KindOfLoad;

/** Problems of a request that autocannon cannot send. */
function requestMistakes({ method, headers = {}, capture }: RequestDocument, index: number): Problem[] {
  const path = ['load', 'requests', index];
  const connection = Object.keys(headers).find((name) => name.toLowerCase() === 'connection');
  return [
    ...(capture === undefined
      ? []
      : [{ path, key: 'capture', message: 'capture is not for load.autocannon: it cannot send what was captured' }]),
    ...(method === 'HEAD'
      ? [
          {
            path: [...path, 'method'],
            message: 'HEAD is not for load.autocannon: it waits for a body that never comes',
          },
        ]
      : []),
    ...(connection === undefined
      ? []
      : [
          {
            path: [...path, 'headers', connection],
            message: `${connection} is not for load.autocannon: it always sends keep-alive`,
          },
        ]),
  ];
}
