import { z } from 'zod';
import { autoOrDuration, count, duration, env, list, percent, strict, text, urlPath } from '../base/schema-values.ts';
import { FIRST_UNIQUE } from '../base/template.ts';
import { parseDurationMs, parseLimit } from '../base/units.ts';
import { loadAxes } from '../journal/load-traits.ts';
import { judgeKeys } from '../journal/run/judge-keys.ts';
import { builtInWorkloads, measuredCosts, templates } from '../journal/scenario-record.ts';
import { requestShape, weight } from './script/request-shape.ts';
import { scriptPart, think } from './script/script-schema.ts';

const MOST_PROCESSES = 64;
const RANGE = 'expected a range such as 10..2000';
const LIMIT = 'expected a limit above 0, such as 200, 200ms or 1%';
const TURN = 'expected auto, off or a duration such as 500ms';

const { name, method, headers, body, graphql, expect } = requestShape;
const rate = z.number().positive().max(100_000);
const clients = z.union([count(10_000), list(count(10_000), 100)], {
  error: 'expected a whole number from 1 to 10000, or a list of at most 100 of them',
});

const request = strict({
  name,
  method,
  path: urlPath.describe('path and query; may hold placeholders such as ${unique} (see uniqueFrom)'),
  headers,
  body,
  graphql,
  weight,
  expect,
});

const bulk = strict({
  template: z.enum(templates).optional().describe('a generated data set'),
  documents: count(10_000_000).optional().describe('how many documents the template has'),
  seed: z.int().min(0).optional().describe('seed of the generator; default 1'),
  edfi: z.string().optional().describe('a folder of Ed-Fi interchange XML'),
  connections: count(10_000).optional().describe('client connections; default 25'),
  inFlight: count(10_000)
    .optional()
    .describe('requests that wait for an answer at any time, at most; default as many as connections'),
  retries: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('how often a document that was not accepted is sent again; default 3'),
  backoff: duration.optional().describe('the pause before the first repeat; it doubles with each; default 100ms'),
  update: z
    .boolean()
    .optional()
    .describe('load the data set once unmeasured before, so that the measured load is all updates; default false'),
});

const k6 = z.union(
  [
    text,
    strict({
      script: text.describe('the script'),
      exec: text.optional().describe('the exported function that is an iteration; default default'),
      env: env.optional().describe('what the script finds in __ENV besides'),
      urlVariable: text.optional().describe("the variable that names the arm's address; default BASE_URL"),
      tokenVariable: text.optional().describe('the variable that holds what target.login has fetched; default TOKEN'),
    }),
  ],
  { error: 'expected a file, or { script, exec, env, urlVariable, tokenVariable }' },
);
const range = z
  .string({ error: RANGE })
  .regex(/^\d+(\.\d+)?\.\.\d+(\.\d+)?$/, { error: RANGE })
  .meta({ title: 'range' });

const limit = z
  .union([z.string(), z.number()], { error: LIMIT })
  .refine((text) => parseLimit(text) !== null, { error: LIMIT })
  .meta({ title: 'number, percentage or duration' });

const capacity = strict({
  connections: range.optional().describe('from the fewest to the most client connections: 10..2000'),
  rate: range.optional().describe('from the fewest to the most requests/s: 50..5000'),
  users: range
    .optional()
    .describe('from the fewest to the most users, who go through the script with its pauses: 10..2000'),
  until: z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'expected the name of a metric, such as p95_ms' }), limit)
    .describe(
      'limits that a sustained load keeps: p50_ms, p95_ms, p99_ms, mean_ms (200 or 200ms), failed (1%), service_cpu (85% of one CPU, or in CPUs), or any value of a probe as in metrics.csv',
    ),
});

/** The load of a scenario. */
export const load = strict({
  bulk: bulk.optional().describe('post a whole data set once a round, in dependency order: one of template, edfi'),
  reads: list(z.enum(builtInWorkloads), builtInWorkloads.length)
    .optional()
    .describe('workloads that follow a bulk load, on what it has loaded, such as get-documents'),
  connections: clients
    .optional()
    .describe('load levels: client connections, each sending its next request when the last is answered'),
  users: clients
    .optional()
    .describe(
      'load levels: users, each going through the script with its pauses, over its own connection; or those of a k6 script',
    ),
  capacity: capacity
    .optional()
    .describe('instead of load levels: find out how much load each variant sustains before it breaks a limit'),
  rate: z
    .union([rate, list(rate, 100)], {
      error: 'expected a number of requests a second, or a list of at most 100 of them',
    })
    .optional()
    .describe(
      'load levels: requests that are sent each second, whether earlier ones were answered or not; or iterations of a k6 script that begin; in place of connections',
    ),
  arrivals: z
    .enum(['constant', 'poisson'])
    .optional()
    .describe(
      'of a rate: at equal distances, or at random ones as from users who do not wait for each other; default poisson',
    ),
  inFlight: count(10_000)
    .optional()
    .describe(
      'of a rate: requests that wait for an answer at any time, at most; one that is due beyond that is not sent, and has failed; default those of 2s of the highest rate, at least 100 (of a k6 script: as many iterations as begin in 1s, 20 to 500)',
    ),
  count: count(10_000_000)
    .optional()
    .describe('of connections: so many requests and no more; the time that they take is what is judged'),
  limit: duration
    .optional()
    .describe('of a count: how long it may take; what does not end by then is a timeout; default 2m'),
  workload: z.enum(builtInWorkloads).optional().describe('a workload for the document service'),
  requests: list(request).optional().describe('requests to send, drawn by weight'),
  module: z
    .string()
    .optional()
    .describe('a module that makes requests: export default ({ random, unique }) => () => ({ method, path, body })'),
  k6: k6.optional().describe('a k6 script to be run under users or at a rate; it finds the service in __ENV.BASE_URL'),
  script: list(scriptPart)
    .optional()
    .describe('what each user does, step by step and over and over; under connections without the pauses'),
  data: text
    .optional()
    .describe(
      'a CSV file with a row for each user, whose columns steps use as ${data NAME}; from the folder of this file',
    ),
  sessions: z
    .enum(['kept', 'new'])
    .optional()
    .describe(
      'of a script: a user who begins it again keeps cookies and values (kept), or is a new one (new); default kept',
    ),
  think: think.optional().describe('the pause after each step of the script; default none'),
  for: duration
    .optional()
    .describe(
      'a bounded run: each arm is under load for so long in a round, in one stretch; in place of slice and turn',
    ),
  slice: autoOrDuration
    .optional()
    .describe(
      'how long each arm is under load at a load level in a round, the sum of its turns: auto (set from the second round on by how much arms scatter and what a start costs), or a duration; default auto, after a bulk load 5s',
    ),
  turn: z
    .union([z.enum(['auto', 'off']), z.string(), z.number()], { error: TURN })
    .refine((text) => text === 'auto' || text === 'off' || (parseDurationMs(text) ?? 0) > 0, {
      error: TURN,
      abort: true,
    })
    .refine((text) => (parseDurationMs(text) ?? 0) <= 3_600_000, { error: 'expected at most 1h' })
    .meta({ title: 'duration, auto or off' })
    .optional()
    .describe(
      'how long the arms of a load level take turns: auto (25 mean latencies, at least 50ms), off (whole slices), or a duration; default auto',
    ),
  drop: duration
    .optional()
    .describe(
      'how much of the start of each turn is not counted; at most a tenth of it, at least one latency; default 100ms',
    ),
  warmup: autoOrDuration
    .optional()
    .describe(
      'how each fresh process is warmed, in turns with the others: auto (by as many requests as the others, 3,000 in the first round), or a duration; default auto',
    ),
  settle: duration
    .optional()
    .describe(
      'where settings are switched live: load at the start of each turn that is not counted; default 100ms, 250ms with new sessions',
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
});

export const judge = z
  .enum([...judgeKeys, ...loadAxes.map((axis) => `supported ${axis}` as const)])
  .describe(
    'the metric that the run is about: it decides when the run ends, what is recommended and what the first screen says; supported rate and the like go with load.capacity; default 2xx/s, at a rate and for users mean_ms (with p99_ms beside it)',
  );

export const cost = z
  .union([z.enum(measuredCosts), z.record(z.string(), z.number().min(0))], {
    error: `expected ${measuredCosts.join(', ')}, or a number from 0 for each variant, such as { small: 1, large: 2.5 }`,
  })
  .describe(
    'which of several good settings is the cheapest: a number for each variant (or level of the only factor), or measured: memory_mb, of the service and its database; cpu, their CPU time a request; default the smallest level, the fewest connections, or the order of variants',
  );
