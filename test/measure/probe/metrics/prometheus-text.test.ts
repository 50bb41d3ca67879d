import { describe, expect, it } from 'vitest';
import { parseSelector } from '../../../../src/journal/service/metric-names.ts';
import { familyOf } from '../../../../src/measure/probe/metrics/metric-families.ts';
import { histogramQuantile, metricValues } from '../../../../src/measure/probe/metrics/metric-values.ts';
import { parsePrometheusText } from '../../../../src/measure/probe/metrics/prometheus-text.ts';

/** The example of https://prometheus.io/docs/instrumenting/exposition_formats/, which shows every feature. */
const documented = `# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9

# Minimalistic line:
metric_without_timestamp_and_labels 12.47

# A weird metric from before the epoch:
something_weird{problem="division by zero"} +Inf -3982045

# A histogram, which has a pretty complex representation in the text format:
# HELP http_request_duration_seconds A histogram of the request duration.
# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="0.05"} 24054
http_request_duration_seconds_bucket{le="0.1"} 33444
http_request_duration_seconds_bucket{le="0.2"} 100392
http_request_duration_seconds_bucket{le="0.5"} 129389
http_request_duration_seconds_bucket{le="1"} 133988
http_request_duration_seconds_bucket{le="+Inf"} 144320
http_request_duration_seconds_sum 53423
http_request_duration_seconds_count 144320

# Finally a summary, which has a complex representation, too:
# HELP rpc_duration_seconds A summary of the RPC duration in seconds.
# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.01"} 3102
rpc_duration_seconds{quantile="0.05"} 3272
rpc_duration_seconds{quantile="0.5"} 4773
rpc_duration_seconds{quantile="0.9"} 9001
rpc_duration_seconds{quantile="0.99"} 76656
rpc_duration_seconds_sum 1.7560473e+07
rpc_duration_seconds_count 2693
`;

const select = (text: string) => {
  const selector = parseSelector(text);
  if (selector === null) throw new Error(text);
  return selector;
};
const family = (text: string, selector: string) => familyOf(parsePrometheusText(text), select(selector));
const values = (selector: string, readings: readonly string[], seconds = 5) =>
  metricValues(
    select(selector),
    readings.map((text) => family(text, selector)),
    seconds,
  );

describe('the text format', () => {
  it('is read as its documentation shows it', () => {
    const { types, series } = parsePrometheusText(documented);
    expect(Object.fromEntries(types)).toEqual({
      http_requests_total: 'counter',
      http_request_duration_seconds: 'histogram',
      rpc_duration_seconds: 'summary',
    });
    const all = [...series.values()].flat();
    expect(all).toHaveLength(20);
    expect(all.slice(0, 5)).toEqual([
      { name: 'http_requests_total', labels: { method: 'post', code: '200' }, value: 1027 },
      { name: 'http_requests_total', labels: { method: 'post', code: '400' }, value: 3 },
      {
        name: 'msdos_file_access_time_seconds',
        labels: { path: 'C:\\DIR\\FILE.TXT', error: 'Cannot find file:\n"FILE.TXT"' },
        value: 1458255915,
      },
      { name: 'metric_without_timestamp_and_labels', labels: {}, value: 12.47 },
      { name: 'something_weird', labels: { problem: 'division by zero' }, value: Number.POSITIVE_INFINITY },
    ]);
  });

  it('may hold blanks, tabs, braces in labels, a comma after the last, NaN, no end of line', () => {
    const text = '\t# just a comment\n  a {x = "1} 2" , y="2,",}\t NaN\nb{} -Inf\nc 0x1F 5\r\nd .5';
    expect([...parsePrometheusText(text).series.values()].flat()).toEqual([
      { name: 'a', labels: { x: '1} 2', y: '2,' }, value: Number.NaN },
      { name: 'b', labels: {}, value: Number.NEGATIVE_INFINITY },
      { name: 'c', labels: {}, value: 31 },
      { name: 'd', labels: {}, value: 0.5 },
    ]);
  });

  it('of OpenMetrics: an exemplar, a counter without _total in its type, # EOF', () => {
    const text =
      '# TYPE foo counter\n# UNIT foo seconds\nfoo_total 17.0 1520879607.789 # {trace_id="KOO 5"} 0.67 1520879607\n# EOF\n';
    expect(family(text, 'foo_total')).toEqual({ kind: 'counter', total: 17 });
  });

  it.each([
    ['<!doctype html>', 1],
    ['a 1\nb', 2],
    ['a one', 1],
    ['a{x=1} 1', 1],
    ['a{x="1" 1', 1],
    ['a 1 2 3', 1],
    ['1a 1', 1],
  ])('that %j is not: an error names the line', (text, line) => {
    expect(() => parsePrometheusText(text)).toThrow(`line ${line} is not in the text format of Prometheus`);
  });

  it('of a selector is that of a series without a value', () => {
    expect(parseSelector('go_goroutines')).toEqual({ name: 'go_goroutines', labels: {} });
    expect(parseSelector('jvm_memory_used_bytes{area="heap"}')?.labels).toEqual({ area: 'heap' });
    expect(parseSelector('a b')).toBeNull();
    expect(parseSelector('a{area=heap}')).toBeNull();
  });
});

describe('a quantile of a histogram', () => {
  const infinite = Number.POSITIVE_INFINITY;

  it('lies within its bucket, by linear interpolation', () => {
    // 100 requests up to 0.1 s, 80 up to 0.2 s: rank 178.2 of 180 is 78.2 / 80 through the second bucket.
    expect(histogramQuantile(0.99, [[0.1, 100], [0.2, 180], [infinite, 180]])).toBeCloseTo(0.19775, 10); // biome-ignore format: a histogram
    expect(histogramQuantile(0.5, [[0.1, 100], [0.2, 100], [infinite, 100]])).toBeCloseTo(0.05, 10); // biome-ignore format: a histogram
  });

  it('is the highest finite bound where it lies beyond all, and nothing without observations', () => {
    expect(histogramQuantile(0.99, [[0.1, 50], [0.2, 60], [infinite, 100]])).toBe(0.2); // biome-ignore format: a histogram
    expect(histogramQuantile(0.99, [[0.1, 0], [infinite, 0]])).toBeNull(); // biome-ignore format: a histogram
    expect(histogramQuantile(0.99, [[0.1, 5]])).toBeNull();
    expect(histogramQuantile(0.01, [[-1, 5], [1, 10], [infinite, 10]])).toBe(-1); // biome-ignore format: a histogram
  });
});

describe('the values of a slice', () => {
  it('of a counter: its rate over all series, also where one came up meanwhile; none where it fell', () => {
    const type = '# TYPE hits_total counter\n';
    expect(
      values('hits_total', [`${type}hits_total{c="a"} 10`, `${type}hits_total{c="a"} 25\nhits_total{c="b"} 5`]),
    ).toEqual({ hits_per_s: 4 });
    expect(values('hits_total', [`${type}hits_total 100`, `${type}hits_total 20`])).toEqual({});
    expect(values('hits_total', ['hits_total 1', 'hits_total 1'])).toEqual({ hits_per_s: 0 });
  });

  it('of a gauge: mean and maximum over the readings under load, or all where there are two, with its unit last', () => {
    const heap = [90, 40, 20, 10].map(
      (used) => `# TYPE heap_bytes gauge\nheap_bytes{area="a",id="1"} ${used}\nheap_bytes{area="b"} 1`,
    );
    expect(values('heap_bytes{area="a"}', heap)).toEqual({ heap_a_mean_bytes: 30, heap_a_max_bytes: 40 });
    expect(values('heap_bytes', heap)).toEqual({ heap_mean_bytes: 31, heap_max_bytes: 41 });
    expect(values('lag_seconds', ['lag_seconds 0.002', 'lag_seconds 0.004'])).toEqual({
      lag_mean_ms: 3,
      lag_max_ms: 4,
    });
    expect(values('lag_seconds', ['lag_seconds NaN', 'lag_seconds NaN'])).toEqual({});
  });

  it('of a process without limits: none, as no journal holds 2^64', () => {
    const shown = 'process_virtual_memory_max_bytes 1.8446744073709552e+19';
    expect(values('process_virtual_memory_max_bytes', [shown, shown, shown])).toEqual({});
  });

  it('of a histogram: of what was observed in the slice alone', () => {
    const shown = (low: number, high: number, sum: number) =>
      `# TYPE wait_seconds histogram\nwait_seconds_bucket{le="0.1"} ${low}\nwait_seconds_bucket{le="0.2"} ${high}\n` +
      `wait_seconds_bucket{le="+Inf"} ${high}\nwait_seconds_sum ${sum}\nwait_seconds_count ${high}`;
    const slice = values('wait_seconds', [shown(1000, 1000, 5), shown(1000, 1100, 20)]);
    expect(slice.wait_per_s).toBe(20);
    expect(slice.wait_mean_ms).toBeCloseTo(150, 9);
    expect(slice.wait_p99_ms).toBeCloseTo(199, 9);
    expect(values('wait_seconds', [shown(1, 1, 5), shown(1, 1, 5)])).toEqual({ wait_per_s: 0 });
    expect(values('wait_seconds', [shown(1000, 1100, 20), shown(900, 1000, 18)])).toEqual({});
  });

  it('of a summary: its own quantiles, as they are', () => {
    const later = documented.replace('_sum 1.7560473e+07', '_sum 1.7570473e+07').replace('count 2693', 'count 2793');
    expect(values('rpc_duration_seconds', [documented, later])).toEqual({
      rpc_duration_per_s: 20,
      rpc_duration_mean_ms: 100_000,
      rpc_duration_p1_ms: 3_102_000,
      rpc_duration_p5_ms: 3_272_000,
      rpc_duration_p50_ms: 4_773_000,
      rpc_duration_p90_ms: 9_001_000,
      rpc_duration_p99_ms: 76_656_000,
    });
  });

  it('of what the service does not show: none', () => {
    expect(values('go_goroutines', [documented, documented])).toEqual({});
  });
});
