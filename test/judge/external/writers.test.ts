import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compareExternal } from '../../../src/judge/external/judge-external.ts';
import { readExternalResults } from '../../../src/judge/external/read-files.ts';

interface Comparison {
  readonly files: readonly string[];
  readonly control: string;
  readonly by?: readonly string[];
}

/** Changes by metric, rounded to a percent; null where there is none. */
function changesOf({ files, control, by = [] }: Comparison): Record<string, number | null> {
  const { groups } = readExternalResults(files, { control, by, time: null });
  const [first] = compareExternal(groups, { control, marginPercent: 5, plannedRounds: null });
  return Object.fromEntries(
    (first?.comparisons ?? []).map(({ metric, deltaPercent }) => [metric, deltaPercent && Math.round(deltaPercent)]),
  );
}

function filesOf(texts: Readonly<Record<string, string | Buffer>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-writers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return Object.entries(texts).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
}

const hyperfine = (seconds: number) => ({
  results: [
    {
      command: 'node load.js',
      mean: seconds,
      stddev: 0.01,
      median: seconds,
      user: 0.1,
      system: 0.05,
      min: seconds,
      max: seconds,
      times: [seconds, seconds],
      memory_usage_byte: [1000, 1000],
      exit_codes: [0, 0],
    },
  ],
});
const wrk = (rate: number, ms: string) => `Running 10s test @ http://127.0.0.1:3000
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    ${ms}ms    0.40ms  20.10ms   90.00%
    Req/Sec   502.10     10.20   530.00     70.00%
  Latency Distribution
     50%    ${ms}ms
     99%    9.00ms
  ${rate * 10} requests in 10.00s, 1.50MB read
Requests/sec:   ${rate}.00
Transfer/sec:    150.00KB
`;
const pgbench = (tps: number) => `pgbench (17.2)
starting vacuum...end.
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: simple
number of clients: 10
number of threads: 2
maximum number of tries: 1
duration: 10 s
number of transactions actually processed: ${10 * tps}
number of failed transactions: 0 (0.000%)
latency average = ${(10_000 / tps).toFixed(3)} ms
initial connection time = 9.417 ms
tps = ${tps}.000000 (without initial connection time)
`;
const k6 = (rate: number) => ({
  iterations: { count: 10 * rate, rate },
  http_reqs: { count: 10 * rate, rate },
  http_req_failed: { passes: 0, fails: 10 * rate, value: 0 },
  http_req_duration: { avg: 5, min: 1, med: 4, max: 9, 'p(90)': 6, 'p(95)': 7 },
});
const autocannon = (rate: number) =>
  JSON.stringify({
    url: 'http://127.0.0.1:3000',
    connections: 10,
    pipelining: 1,
    duration: 10,
    errors: 0,
    timeouts: 0,
    non2xx: 0,
    '2xx': 10 * rate,
    latency: { average: 2.5, mean: 2.5, p50: 2, p99: 9 },
    requests: { average: rate, mean: rate, sent: 10 * rate + 10 },
    throughput: { average: 1000, mean: 1000 },
  });
const ab = (rate: number) => `This is ApacheBench, Version 2.3 <$Revision: 1903618 $>

Server Hostname:        127.0.0.1
Document Path:          /items
Document Length:        31 bytes

Concurrency Level:      10
Time taken for tests:   10.000 seconds
Complete requests:      ${10 * rate}
Failed requests:        0
Total transferred:      180000 bytes
HTML transferred:       31000 bytes
Requests per second:    ${rate}.00 [#/sec] (mean)
Time per request:       ${(10_000 / rate).toFixed(3)} [ms] (mean)
Time per request:       ${(1000 / rate).toFixed(3)} [ms] (mean, across all concurrent requests)
Transfer rate:          176.00 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       1
Total:          1    2   0.5      2       9

Percentage of the requests served within a certain time (ms)
  50%      2
  99%      5
 100%      9 (longest request)
`;
const oha = (rate: number) =>
  JSON.stringify({
    summary: {
      successRate: 1,
      total: 10,
      slowest: 0.1,
      fastest: 0.001,
      average: 0.005,
      requestsPerSec: rate,
      totalData: 100,
      sizePerRequest: 10,
      sizePerSec: 10,
    },
    responseTimeHistogram: {},
    latencyPercentiles: { p10: 0.001, p50: 0.004, p90: 0.006, p95: 0.007, p99: 0.008 },
    statusCodeDistribution: { 200: 10 * rate },
    errorDistribution: {},
  });

const pair = (name: string, of: (value: number) => string, [a, b] = [1000, 1100]) => ({
  [`base.${name}`]: of(a ?? 0),
  [`head.${name}`]: of(b ?? 0),
});

/** What tools write, by their documentation: head has 10 % more, or takes 10 % longer. */
const writers: Readonly<
  Record<string, readonly [texts: Readonly<Record<string, string>>, changes: object, more?: Partial<Comparison>]>
> = {
  'hyperfine --export-json': [
    pair('json', (value) => JSON.stringify(hyperfine(value / 1000), null, 2)),
    { time_mean_s: 10, time_median_s: 10 },
  ],
  'hyperfine --export-markdown': [
    {
      'table.md':
        '| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n| `base` | 100.0 ± 2.1 | 98.0 | 104.0 | 1.00 |\n| `head` | 110.0 ± 1.9 | 107.8 | 114.4 | 1.10 ± 0.03 |\n',
    },
    { 'Mean [ms]': 10, 'Min [ms]': 10, 'Max [ms]': 10 },
  ],
  'hyperfine --export-csv': [
    {
      'table.csv':
        'command,mean,stddev,median,user,system,min,max\nbase,0.100,0.002,0.100,0.05,0.01,0.098,0.104\nhead,0.110,0.002,0.110,0.05,0.01,0.1078,0.1144\n',
    },
    { mean: 10, median: 10 },
  ],
  'k6 --summary-export': [
    pair('json', (rate) => JSON.stringify({ root_group: {}, metrics: k6(rate) }, null, 4)),
    { requests_per_s: 10 },
  ],
  wrk: [pair('txt', (rate) => wrk(rate, '4.00')), { requests_per_s: 10 }],
  'wrk2, with its title of percentiles': [
    pair('txt', (rate) =>
      wrk(rate, '4.00')
        .replace('  Latency Distribution', '  Latency Distribution (HdrHistogram - Recorded Latency)')
        .replace('99%', '99.000%'),
    ),
    { requests_per_s: 10 },
  ],
  ab: [pair('txt', ab), { requests_per_s: 10, latency_p50_ms: 0 }],
  'autocannon --json': [pair('json', autocannon), { requests_per_s: 10 }],
  'autocannon by npm run': [
    pair('json', (rate) => `\n> shop@1.0.0 bench\n> autocannon --json http://127.0.0.1:3000\n\n${autocannon(rate)}\n`),
    { requests_per_s: 10 },
  ],
  'oha -j': [pair('json', oha), { requests_per_s: 10 }],
  pgbench: [pair('txt', pgbench), { transactions_per_s: 10 }],
  'pgbench in a log of GitHub': [
    pair('txt', (tps) => pgbench(tps).replace(/^/gm, '2026-01-31T10:00:00.1234567Z ')),
    { transactions_per_s: 10 },
  ],
  'benchstat, as a table in a pull request': [
    {
      'table.md':
        '| | base | head | vs base |\n|---|---|---|---|\n| Encode-8 | 100.0µ ± 2% | 110.0µ ± 1% | +10.00% (p=0.000 n=10) |\n| Decode-8 | 200.0µ ± 2% | 220.0µ ± ∞ | ~ (p=0.2 n=10) |\n',
    },
    { 'Encode-8': 10, 'Decode-8': 10 },
  ],
  BenchmarkDotNet: [
    {
      'table.md':
        '| Method | Mean | Error | StdDev | Ratio | Gen0 | Allocated |\n|---- |----:|----:|----:|----:|----:|----:|\n| base | 1,000.0 ns | 2.10 ns | 1.90 ns | 1.00 | 0.0100 | 96 B |\n| head | 1,100.0 ns | 2.10 ns | 1.90 ns | 1.10 | 0.0100 | 96 B |\n',
    },
    { Mean: 10, Allocated: 0 },
  ],
};

describe('numbers as they are written by', () => {
  it.each(Object.entries(writers))('%s', (_, [texts, changes, more]) => {
    expect(changesOf({ files: filesOf(texts), control: 'base', ...more })).toMatchObject(changes);
  });

  it('PowerShell, in UTF-16, are read as those in UTF-8 with a mark', () => {
    for (const encoding of ['utf16le', 'utf8'] as const) {
      const files = filesOf({
        'base.json': Buffer.from(`\uFEFF${autocannon(1000)}`, encoding),
        'head.json': autocannon(1100),
      });
      expect(changesOf({ files, control: 'base' })).toMatchObject({ requests_per_s: 10 });
    }
  });
});

/** Inputs that failed once. The tests here and beside it have the same on fixtures of our own. */
const CASES = join(process.env.PGSWEEP_CASES ?? resolve('../shared/cases'), 'delta');

describe.skipIf(!existsSync(CASES))('of ../shared/cases/delta', () => {
  const none = { time_mean_s: null, time_median_s: null, user_s: null, system_s: null };
  it.each<[string, Comparison, object]>([
    ['hf-failed.json', { files: ['ok=hf-ok.json', 'bad=hf-failed.json'], control: 'ok' }, none],
    ['hf-ok.json', { files: ['ok=hf-ok.json', 'bad=hf-failed.json'], control: 'bad' }, none],
    [
      'bom.json',
      { files: ['a=bom.json', 'b=slow-b.json'], control: 'a' },
      { requests_per_s: 100, latency_mean_ms: -50 },
    ],
    [
      'zero.json',
      { files: ['a=slow-b.json', 'b=zero.json'], control: 'a' },
      { requests_per_s: -100, latency_mean_ms: null, latency_p50_ms: null },
    ],
    [
      'table-httparena.md',
      { files: ['table-httparena.md'], control: 'baseline', by: ['Conn'] },
      { RPS: -9, CPU: 70, Mem: 124 },
    ],
    [
      'pgbench-fabric.txt',
      { files: ['a=pgbench-fabric.txt', 'b=pgbench-fabric.txt'], control: 'a' },
      { transactions_per_s: 0, latency_mean_ms: 0 },
    ],
  ])('%s', (_, { files, ...more }, changes) => {
    const at = files.map((file) => file.replace(/(^|=)(?=[^=]*$)/, (start) => `${start}${CASES}/`));
    expect(changesOf({ files: at, ...more })).toEqual(expect.objectContaining(changes));
    expect(Object.keys(changesOf({ files: at, ...more })).filter((name) => name.startsWith('Δ'))).toEqual([]);
  });
});
