import { z } from 'zod';
import {
  autoOrDuration,
  count,
  DURATION_PATTERN,
  duration,
  list,
  options,
  percent,
  sentPath,
  strict,
} from '../base/schema-values.ts';
import { FIRST_UNIQUE } from '../base/template.ts';
import { parseDurationMs, unitAsked } from '../base/units.ts';
import { loadAxes } from '../journal/load-traits.ts';
import { judgeKeys } from '../journal/run/judge-keys.ts';
import { builtInWorkloads, sampleService } from '../journal/sample.ts';
import { measuredCosts } from '../journal/scenario-record.ts';
import { kindKeys } from './load/kinds.ts';
import { metricLimits } from './load/limits.ts';
import { capture, requestShape, weight } from './script/request-shape.ts';

const MOST_PROCESSES = 64;
const TURN = 'expected auto, off or a duration such as 500ms';

const { name, method, headers, body, graphql, expect } = requestShape;

const request = strict({
  name,
  method,
  path: sentPath.describe('path and query; may hold placeholders such as ${unique} (see uniqueFrom)'),
  headers,
  body,
  graphql,
  weight,
  expect,
  capture: capture.describe(
    'what its connection keeps of its answer, by name: json $.id or header X-Token; requests below it use it as ${captured NAME}',
  ),
});

/** The load of a scenario. */
export const load = strict({
  workload: z.enum(builtInWorkloads).optional().describe(`a workload for ${sampleService.title}`),
  requests: list(request).optional().describe('requests to send, drawn by weight'),
  module: z
    .string()
    .optional()
    .describe(
      'a module that makes requests: export default ({ random, unique, options }) => () => ({ method, path, body })',
    ),
  options: options.optional().describe('values for module'),
  ...kindKeys,
  slice: autoOrDuration
    .optional()
    .describe(
      'time of each arm under load at a load level in a round, the sum of its turns: auto (by how much arms scatter and what a start costs), or a duration; default auto, after a bulk load 5s; beside a job its first time without it',
    ),
  turn: z
    .string({ error: ({ input }) => unitAsked(input) ?? TURN })
    .refine((text) => text === 'auto' || text === 'off' || (parseDurationMs(text) ?? 0) > 0, {
      error: ({ input }) => unitAsked(input) ?? TURN,
      abort: true,
    })
    .refine((text) => (parseDurationMs(text) ?? 0) <= 3_600_000, { error: 'expected at most 1h' })
    .meta({ title: 'duration, auto or off', pattern: `^(${DURATION_PATTERN}|auto|off)$` })
    .transform((text) => (text === 'auto' || text === 'off' ? text : (parseDurationMs(text) ?? 0)))
    .optional()
    .describe(
      'length of turns: auto (25 mean latencies, at least 50ms), off (whole slices), or a duration; default auto',
    ),
  drop: duration
    .optional()
    .describe('uncounted start of each turn: at most a tenth of it, at least one latency; default 100ms'),
  warmup: autoOrDuration
    .optional()
    .describe(
      'warm-up of each fresh process, in turns with the others: auto (as many requests as the others, 3,000 in the first round), or a duration; default auto',
    ),
  settle: duration
    .optional()
    .describe(
      'where settings are switched live: uncounted load at the start of each turn; default 100ms, 250ms with new sessions',
    ),
  processes: count(MOST_PROCESSES)
    .optional()
    .describe(
      'among how many processes of the load generator connections are dealt, for load that one cannot make; default 1',
    ),
  uniqueFrom: z
    .int()
    .min(0)
    .optional()
    .describe(
      `the first number of ${'${unique}'}, which counts up through all arms of a run; a resumed run continues above it; default ${FIRST_UNIQUE}`,
    ),
  timeout: duration.optional().describe('after how long a request counts as timed out; default 10s'),
  maxFailedRate: percent
    .optional()
    .describe('a slice in which more requests than this fail does not count; default 1%'),
  transactionsPerRequest: z
    .number()
    .positive()
    .optional()
    .describe('transactions that each answered request commits; a slice whose database counts others does not count'),
}).meta({ minProperties: 1 });

export const keep = metricLimits('limits of what tune takes: { p99_ms: 200, failed: 1% }');

export const judge = z
  .enum([...judgeKeys, ...loadAxes.map((axis) => `supported ${axis}` as const)])
  .describe(
    'the metric that decides when the run ends, what is recommended and what the first screen says; supported rate and the like go with load.capacity; default 2xx/s, at a rate and for users mean_ms (with p99_ms beside it)',
  );

export const cost = z
  .union([z.enum(measuredCosts), z.record(z.string(), z.number().min(0))], {
    error: `expected ${measuredCosts.join(', ')}, or a number from 0 for each variant, such as { small: 1, large: 2.5 }`,
  })
  .describe(
    'which good setting is the cheapest: a number for each variant (or level of the only factor), or measured of service and database: memory_mb, or cpu time a request; default the smallest level or the fewest connections, else none is cheaper',
  );
