import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTool } from '../../../src/judge/external/tools/read-tool.ts';

/** The first result's numbers, by name. */
function numbersOf(text: string): Record<string, number> {
  const [first] = readTool('run', text)?.results ?? [];
  return Object.fromEntries((first?.metrics ?? []).map(({ name, value }) => [name, Number(value?.toPrecision(12))]));
}

const first = (text: string) => readTool('run', text)?.results[0];

const autocannon = JSON.stringify({
  url: 'http://127.0.0.1:3000',
  connections: 10,
  duration: 10.02,
  start: '2026-01-31T10:00:00.500Z',
  finish: '2026-01-31T10:00:10.520Z',
  errors: 3,
  timeouts: 2,
  non2xx: 17,
  '2xx': 5010,
  latency: { average: 19.4, mean: 19.4, p50: 18, p90: 31, p97_5: 44, p99: 52 },
  requests: { average: 502.7, mean: 502.7 },
  throughput: { average: 98_765.5, mean: 98_765.5 },
});

const oha = JSON.stringify({
  summary: { successRate: 1, total: 20, average: 0.0125, requestsPerSec: 400.6, totalData: 81_000, sizePerSec: 4050 },
  responseTimeHistogram: {},
  latencyPercentiles: { p50: 0.011, p90: 0.02, p95: 0.025, p99: 0.041 },
  statusCodeDistribution: { '200': 7900, '201': 100, '500': 12 },
  errorDistribution: { 'aborted due to deadline': 10, 'connection closed before message completed': 8 },
});

const pgbench = `pgbench (15.18 (Debian 15.18-0+deb12u1))
starting vacuum...end.
progress: 5.0 s, 812.2 tps, lat 4.9 ms stddev 1.1, 0 failed
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: simple
number of clients: 4
number of threads: 1
maximum number of tries: 1
duration: 30 s
number of transactions actually processed: 24366
number of failed transactions: 4 (0.016%)
latency average = 4.925 ms
latency stddev = 1.204 ms
initial connection time = 9.417 ms
tps = 812.205478 (without initial connection time)
`;

const wrk = `Running 30s test @ http://127.0.0.1:8080/index.html
  12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  Latency Distribution
     50%  250.00us
     75%  491.00us
     90%  700.00us
     99%    5.80ms
  20000 requests in 30.00s, 17.76GB read
  Socket errors: connect 0, read 5, write 0, timeout 1
  Non-2xx or 3xx responses: 500
Requests/sec:    666.67
Transfer/sec:      1.50MB
`;

const k6Metrics = {
  iterations: { count: 900, rate: 30 },
  http_reqs: { count: 1800, rate: 60 },
  http_req_failed: { passes: 90, fails: 1710, value: 0.05 },
  http_req_duration: { avg: 12.5, min: 1, med: 11, max: 90, 'p(90)': 20, 'p(95)': 25 },
  'http_req_duration{expected_response:true}': {
    avg: 10,
    min: 1,
    med: 9,
    max: 80,
    'p(90)': 18,
    'p(95)': 22,
    'p(99)': 40,
  },
};

describe('autocannon', () => {
  it('counts 2xx answers over the duration, where its own mean counts failures too', () => {
    expect(numbersOf(autocannon)).toMatchObject({
      requests_per_s: 500, // 5010 / 10.02, and not 502.7
      latency_mean_ms: 19.4,
      latency_p50_ms: 18,
      latency_p97_5_ms: 44,
      latency_p99_ms: 52,
      throughput_bytes_per_s: 98_765.5,
    });
  });

  it('knows when it was taken, and what failed: timeouts are among its errors', () => {
    expect(first(autocannon)).toMatchObject({
      startMs: Date.parse('2026-01-31T10:00:00.500Z'),
      durationMs: 10_020,
      failures: { count: 20, among: 5030 },
      samples: 5027,
    });
  });

  it('has latencies in whole milliseconds, rounded down', () => {
    const rounded = first(autocannon)?.metrics.flatMap(({ name, rounding }) => (rounding ? [[name, rounding]] : []));
    const down = { below: 0, above: 1 };
    expect(rounded).toContainEqual(['latency_mean_ms', down]);
    expect(rounded).toContainEqual(['latency_p50_ms', down]);
    expect(rounded).toContainEqual(['latency_p99_ms', down]);
    expect(rounded).not.toContainEqual(['requests_per_s', expect.anything()]);
  });

  it('says which field is wrong', () => {
    const broken = autocannon.replace('"duration":10.02', '"duration":"10s"');
    expect(() => readTool('base.json', broken)).toThrow('base.json: not as autocannon writes it: duration:');
  });
});

describe('oha', () => {
  it('has seconds, and what was under way at its end is no failure', () => {
    expect(numbersOf(oha)).toMatchObject({
      requests_per_s: 400, // (7900 + 100) / 20
      latency_mean_ms: 12.5,
      latency_p50_ms: 11,
      latency_p95_ms: 25,
      latency_p99_ms: 41,
      throughput_bytes_per_s: 4050,
    });
    expect(first(oha)).toMatchObject({ durationMs: 20_000, failures: { count: 20, among: 8020 }, startMs: null });
  });
});

describe('pgbench', () => {
  it('has what it prints at its end, and not its progress', () => {
    expect(numbersOf(pgbench)).toEqual({
      transactions_per_s: 812.205478,
      latency_mean_ms: 4.925,
      latency_stddev_ms: 1.204,
      initial_connection_ms: 9.417,
    });
    expect(first(pgbench)).toMatchObject({ durationMs: 30_000, failures: { count: 4, among: 24_370 } });
  });

  it('has nothing of a run with clients that ended early: the others had the server for themselves', () => {
    const aborted = `pgbench (15.18 (Debian 15.18-0+deb12u1))
pgbench: error: client 3 script 0 aborted in command 1 query 0: ERROR:  division by zero
pgbench: error: client 1 aborted while establishing connection
${pgbench}pgbench: error: Run was aborted; the above results are incomplete.
`;
    expect(first(aborted)).toMatchObject({ failures: { count: 2, among: 4, ofClients: true }, durationMs: 30_000 });
    expect(first(aborted)?.metrics.map(({ value }) => value)).toEqual([null, null, null, null]);
    const cut = aborted.replaceAll(/^.*client \d.*\n/gm, '');
    expect(first(cut)).toMatchObject({ failures: { count: 1, among: 4, ofClients: true } });
  });

  it('counts what a rate with a limit of latency skips as failed, of all scripts together', () => {
    const skipped = pgbench.replace(
      'latency average',
      `number of transactions skipped: 4874 (16.667%)
number of transactions above the 100.0 ms latency limit: 7/24366 (0.029%)
latency average`,
    );
    const ofScript = ' - number of transactions skipped: 4874 (16.667%)\n';
    for (const text of [skipped, `${skipped}SQL script 1: a.sql\n${ofScript}`])
      expect(first(text)).toMatchObject({ failures: { count: 4878, among: 29_244 }, samples: 24_366 });
  });

  it('of version 10 has two rates, of which the one without connecting counts', () => {
    const older = `transaction type: <builtin: select only>
number of transactions per client: 1000
number of transactions actually processed: 4000/4000
latency average = 2.000 ms
tps = 1990.000000 (including connections establishing)
tps = 2000.000000 (excluding connections establishing)
`;
    expect(numbersOf(older)).toEqual({ transactions_per_s: 2000, latency_mean_ms: 2 });
    // 4000 transactions at 2000 a second.
    expect(first(older)?.durationMs).toBe(2000);
  });
});

describe('wrk', () => {
  it('has its units, and failed answers are no throughput', () => {
    expect(numbersOf(wrk)).toEqual({
      requests_per_s: 650.00325, // 666.67 less 500 of 20,000
      latency_mean_ms: 0.63591,
      latency_p50_ms: 0.25,
      latency_p75_ms: 0.491,
      latency_p90_ms: 0.7,
      latency_p99_ms: 5.8,
      throughput_bytes_per_s: 1_572_864, // 1.5 * 1024 * 1024
    });
    expect(first(wrk)).toMatchObject({ durationMs: 30_000, failures: { count: 506, among: 20_006 } });
  });
});

describe('wrk2', () => {
  it('has the percentiles from when a request was due, as its mean is, also where others follow (-U)', () => {
    const list = (p50: string, p99: string) => ` 50.000%    ${p50}
 99.000%    ${p99}
100.000%    1.26s

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

     629.759     0.500000          120         2.00
#[Mean    =      635.910, StdDeviation   =      204.112]
----------------------------------------------------------
`;
    const both = wrk.replace(
      / {2}Latency Distribution[\s\S]*5\.80ms\n/,
      `  Latency Distribution (HdrHistogram - Recorded Latency)
${list('629.76ms', '1.20s')}
  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))
${list('293.38us', '5.80ms')}`,
    );
    expect(numbersOf(both)).toMatchObject({ latency_p50_ms: 629.76, latency_p99_ms: 1200 });
    expect(first(both)?.metrics.filter(({ name }) => name === 'latency_p50_ms')).toHaveLength(1);
  });
});

describe('k6', () => {
  it('has the same numbers in --summary-export and in handleSummary', () => {
    const exported = numbersOf(JSON.stringify({ root_group: {}, metrics: k6Metrics }));
    const { http_req_failed: _, ...others } = k6Metrics;
    const values = Object.entries(others).map(([name, numbers]) => [name, { type: 'trend', values: numbers }]);
    const data = {
      metrics: {
        ...Object.fromEntries(values),
        http_req_failed: { type: 'rate', values: { rate: 0.05, passes: 90, fails: 1710 } },
      },
      state: { testRunDurationMs: 30_000 },
    };
    expect(exported).toMatchObject({
      requests_per_s: 57, // 60 less 5 %
      latency_mean_ms: 10,
      latency_p50_ms: 9,
      latency_p90_ms: 18,
      latency_p95_ms: 22,
      latency_p99_ms: 40,
      iterations_per_s: 30,
    });
    expect(numbersOf(JSON.stringify(data))).toEqual(exported);
    expect(first(JSON.stringify(data))).toMatchObject({ durationMs: 30_000, failures: { count: 90, among: 1800 } });
    // 1800 requests at 60 a second.
    expect(first(JSON.stringify({ metrics: k6Metrics }))?.durationMs).toBe(30_000);
  });

  it('has times in its machine-readable summary', () => {
    const summary = {
      version: '1.0.0',
      config: { duration: 30, execution: 'local' },
      metadata: { generatedAt: '2026-01-31T10:00:30.123456+02:00', k6Version: '2.0.0' },
      results: {
        metrics: [
          { name: 'http_reqs', type: 'counter', contains: 'default', values: { count: 1800 } },
          { name: 'iterations', type: 'counter', contains: 'default', values: { count: 900 } },
          {
            name: 'http_req_failed',
            type: 'rate',
            contains: 'default',
            values: { matches: 90, rate: 0.05, total: 1800 },
          },
          { name: 'http_req_duration', type: 'trend', contains: 'time', values: { avg: 12.5, med: 11, 'p(95)': 25 } },
        ],
      },
    };
    expect(numbersOf(JSON.stringify(summary))).toEqual({
      requests_per_s: 57,
      latency_mean_ms: 12.5,
      latency_p50_ms: 11,
      latency_p95_ms: 25,
      iterations_per_s: 30,
    });
    expect(first(JSON.stringify(summary))?.startMs).toBe(Date.parse('2026-01-31T08:00:00.123Z'));
  });
});

describe('k6 1', () => {
  it('has other names in its machine-readable summary', () => {
    const summary = readFileSync('test/fixtures/k6/machine-readable-1.8.1.json', 'utf8');
    expect(numbersOf(summary)).toMatchObject({
      requests_per_s: expect.closeTo(730 / 5.277120483, 6),
      latency_mean_ms: expect.closeTo(6.5526, 4),
      latency_p90_ms: expect.closeTo(9.2878, 4),
      latency_p95_ms: expect.closeTo(42.0506, 4),
    });
    const endMs = Date.parse('2026-11-29T19:24:12.490Z');
    expect(first(summary)?.startMs).toBeCloseTo(endMs - 5277.120483, 3);
    expect(first(summary)?.failures).toEqual({ count: 680, among: 1410 });
  });
});

describe('hyperfine', () => {
  it('has a result a command, whose times are one run', () => {
    const output = readTool(
      'run',
      JSON.stringify({
        results: [
          {
            command: 'node a.js',
            mean: 0.3,
            stddev: 0.1,
            median: 0.2,
            user: 0.1,
            system: 0.05,
            min: 0.2,
            max: 0.5,
            times: [0.2, 0.2, 0.5],
            exit_codes: [0, 0, 0],
          },
          {
            command: 'node b.js',
            mean: 0.4,
            stddev: null,
            median: 0.4,
            user: 0.2,
            system: 0.05,
            min: 0.4,
            max: 0.4,
            times: [0.4],
            exit_codes: [0],
          },
        ],
      }),
    );
    expect(output?.results.map(({ name, durationMs }) => [name, durationMs])).toEqual([
      ['node a.js', 900],
      ['node b.js', 400],
    ]);
    const metrics = output?.results[0]?.metrics.map(({ name, value }) => [name, Number(value?.toFixed(6))]);
    expect(metrics).toEqual([
      ['time_mean_s', 0.3],
      ['time_median_s', 0.2],
      ['user_s', 0.1],
      ['system_s', 0.05],
    ]);
  });

  it('has no times of a command that failed, by its exit codes', () => {
    const of = (codes: object) =>
      JSON.stringify({ results: [{ command: 'x', mean: 0.05, times: [0.05, 0.05], ...codes }] });
    const failed = { count: 1, among: 2, ofCommands: true };
    for (const codes of [{ exit_codes: [0, 22] }, { exit_codes: [0, null] }]) {
      expect(first(of(codes))).toMatchObject({ failures: failed });
      expect(first(of(codes))?.metrics.every(({ value }) => value === null)).toBe(true);
    }
    const second = (exit_code: number) => ({ time_wall_clock: { value: 0.05, unit: 'second' }, exit_code });
    expect(first(of({ measurements: [second(0), second(1)] }))).toMatchObject({ failures: failed });
    expect(first(of({ exit_codes: [0, 0] }))?.metrics[0]?.value).toBe(0.05);
  });

  it('of version 2 says when it began; its commands follow each other', () => {
    const measured = (seconds: number) => ({
      time_wall_clock: { value: seconds, unit: 'second' },
      time_user: { value: 0.5, unit: 'second' },
      exit_code: 0,
    });
    const output = readTool(
      'run',
      JSON.stringify({
        schema_version: 2,
        metadata: { hyperfine_version: '2.0.0', start_time: '2026-01-31T10:00:00Z' },
        primary_metric: 'time_wall_clock',
        results: [
          { command: 'sleep 1', name: 'one', measurements: [measured(1), measured(3)] },
          { command: 'sleep 2', name: 'two', measurements: [measured(2)] },
        ],
      }),
    );
    expect(
      output?.results.map(({ name, startMs }) => [name, (startMs ?? 0) - Date.parse('2026-01-31T10:00:00Z')]),
    ).toEqual([
      ['one', 0],
      ['two', 4000],
    ]);
    expect(output?.results[0]?.metrics.map(({ name, value }) => [name, value])).toEqual([
      ['time_mean_s', 2],
      ['time_median_s', 2],
      ['user_s', 0.5],
    ]);
  });
});

describe('ab', () => {
  it('has its units; pages of another length are no failure', () => {
    const text = `Document Path:          /items
Concurrency Level:      10
Time taken for tests:   2.000 seconds
Complete requests:      1000
Failed requests:        40
   (Connect: 0, Receive: 0, Length: 38, Exceptions: 2)
Non-2xx responses:      98
Requests per second:    500.00 [#/sec] (mean)
Time per request:       20.125 [ms] (mean)
Time per request:       2.012 [ms] (mean, across all concurrent requests)

Percentage of the requests served within a certain time (ms)
  50%     18
  95%     31
 100%     90 (longest request)
`;
    expect(numbersOf(text)).toEqual({
      requests_per_s: 450, // 500 less 100 of 1000
      latency_mean_ms: 20.125,
      latency_p50_ms: 18,
      latency_p95_ms: 31,
    });
    expect(first(text)).toMatchObject({ durationMs: 2000, samples: 1000, failures: { count: 100, among: 1000 } });
  });
});

describe('what another program has passed on', () => {
  const prefixed = (text: string, prefix: string) => text.replace(/^/gm, prefix);

  it.each([
    ['fabric', '[localhost] out: '],
    ['docker compose', 'bench-1  | '],
    ['a log with times', '2026-01-31T10:00:00.123Z '],
  ])('is read behind the prefix of %s', (_, prefix) => {
    for (const text of [pgbench, wrk, autocannon, oha, JSON.stringify(JSON.parse(oha), null, 2)])
      expect(numbersOf(prefixed(text, prefix))).toEqual(numbersOf(text));
  });

  it('is read between the lines of others', () => {
    expect(numbersOf(`> bench\n> autocannon --json {url}\n\n${autocannon}\n{ done }\nDone.\n`)).toEqual(
      numbersOf(autocannon),
    );
    expect(readTool('t.md', '| a | {b} |\n|--|--|\n| {x} | 1 |\n')).toBeNull();
  });
});

describe('a run without answers', () => {
  it('has no times, and what was sent in vain has failed', () => {
    const zeros = { mean: 0, p50: 0, p90: 0, p97_5: 0, p99: 0 };
    const none = { ...JSON.parse(autocannon), '2xx': 0, non2xx: 0, errors: 0, timeouts: 0, latency: zeros };
    const result = first(JSON.stringify({ ...none, requests: { mean: 0, sent: 1015 }, throughput: { mean: 0 } }));
    const measured = result?.metrics.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]));
    expect(measured).toEqual([
      ['requests_per_s', 0],
      ['throughput_bytes_per_s', 0],
    ]);
    // Ten connections each had one under way at the end.
    expect(result?.failures).toEqual({ count: 1005, among: 1005 });
    const dead = wrk.replace('20000 requests', '0 requests').replaceAll(/\d+\.\d+us/g, '0.00us');
    expect(first(dead)?.metrics.filter(({ name, value }) => name.startsWith('latency') && value !== null)).toEqual([]);
  });
});

describe('what no tool wrote', () => {
  it('is an error where it is JSON, with the line where it is broken', () => {
    expect(() => readTool('x.json', '{"a": 1}')).toThrow(
      'x.json: the JSON is of none of autocannon, oha, hyperfine, k6',
    );
    expect(() => readTool('x.json', '{\n  "a": 1,\n  "b": {')).toThrow(/^x\.json:3: the JSON is broken/);
    expect(() => readTool('x.json', '{\n  "a": 1\n  "b": 2}')).toThrow(/^x\.json:3: the JSON is broken/);
  });

  it('is no tool where it is text', () => {
    expect(readTool('x.md', '| a | b |')).toBeNull();
  });
});
