import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseSelector } from '../../../../src/journal/service/metric-names.ts';
import { defaultMetrics } from '../../../../src/measure/probe/metrics/default-metrics.ts';
import { serviceMetrics } from '../../../../src/measure/probe/metrics/service-metrics.ts';
import type { ProbeContext } from '../../../../src/measure/probe/probe.ts';
import type { ProbeWarning } from '../../../../src/measure/probe/probe-warning.ts';
import { present, type TestContext, testArm, testContext, wholeLoad } from '../probe-context.ts';

const servers: Server[] = [];
const contexts: TestContext[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const context of contexts.splice(0)) context.remove();
});

async function serve(answer: (path: string) => Promise<[status: number, text: string]>): Promise<string> {
  const server = createServer(async (request, response) => {
    const [status, text] = await answer(request.url ?? '');
    response.writeHead(status).end(text);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Of a scenario that says where they are. */
const wanted = { path: '/metrics', include: [] };

/** What the probe says of a slice in which `load` happened, and of the run. */
async function slice(url: string, load: () => void, metrics?: ProbeContext['metrics']) {
  const context = testContext(metrics && { metrics });
  contexts.push(context);
  const probe = present(await serviceMetrics.open(context));
  const readings = [];
  for (let i = 0; i < 2; i++) {
    const mark = await probe.begin(testArm({ url }));
    load();
    readings.push(await mark.end(wholeLoad()));
  }
  await probe.close();
  return { first: readings[0], last: readings[1], context };
}

function missed(cause: string): ProbeWarning {
  return { kind: 'probe-missed', probe: 'service-metrics', cause };
}

describe('the service-metrics probe', () => {
  it('tells what a service of any kind shows of itself', async () => {
    const registry = new Registry();
    const registers = [registry];
    const common = { help: 'x', registers };
    const hits = new Counter({ name: 'hits_total', labelNames: ['code'], ...common });
    const goroutines = new Gauge({ name: 'go_goroutines', ...common });
    const acquire = new Histogram({ name: 'pg_pool_acquire_seconds', buckets: [0.01, 0.02, 0.05], ...common });
    const pause = new Summary({ name: 'jvm_gc_pause_seconds', percentiles: [0.5], ...common });
    const url = await serve(async (path) => (path === '/stats' ? [200, await registry.metrics()] : [404, '']));
    goroutines.set(7);
    acquire.observe(5);
    const { first, last, context } = await slice(
      url,
      () => {
        hits.inc({ code: '200' }, 30);
        hits.inc({ code: '500' }, 10);
        goroutines.inc(2);
        for (let i = 0; i < 100; i++) acquire.observe(0.015);
        pause.observe(0.25);
      },
      { path: '/stats', include: ['hits_total', 'hits_total{code="500"}'] },
    );
    const values = first?.values ?? {};
    expect(values.go_goroutines_mean).toBe(8);
    expect(values.go_goroutines_max).toBe(9);
    expect(values.pg_pool_acquire_mean_ms).toBeCloseTo(15, 4);
    expect(values.pg_pool_acquire_p99_ms).toBeCloseTo(19.9, 4);
    expect(values.jvm_gc_pause_p50_ms).toBe(250);
    expect((values.hits_per_s ?? 0) / (values.hits_500_per_s ?? 0)).toBeCloseTo(4, 3);
    expect(values.hits_per_s, 'of a second under load').toBe(40);
    expect(last?.values.go_goroutines_mean).toBe(10);
    expect(context.warnings).toEqual([]);
    expect(context.samples('service-metrics')).toContainEqual([expect.any(String), '2', '3', 'pool=10', 'go_goroutines', 'value', '7']); // biome-ignore format: a row
  });

  it('asks a service below a path below that', async () => {
    const paths = new Set<string>();
    const url = await serve(async (path) => [200, `go_goroutines ${paths.add(path).size}\n`]);
    await slice(`${url}/api`, () => {});
    expect([...paths]).toEqual(['/api/metrics']);
  });

  it('adds up what several instances show, of lags takes the largest, and names the busiest event loop', async () => {
    const shown = (taken: number, lag: number, loop: number): string => `# TYPE pg_pool_in_use gauge
pg_pool_in_use ${taken}
# TYPE nodejs_eventloop_lag_p99_seconds gauge
nodejs_eventloop_lag_p99_seconds ${lag}
# TYPE event_loop_active_seconds_total counter
event_loop_active_seconds_total ${loop}
# TYPE pg_pool_acquire_seconds histogram
pg_pool_acquire_seconds_bucket{le="0.01"} ${taken}
pg_pool_acquire_seconds_bucket{le="+Inf"} ${taken}
pg_pool_acquire_seconds_sum ${taken * 0.005}
pg_pool_acquire_seconds_count ${taken}
`;
    let seconds = 0;
    const urls = [
      await serve(async () => [200, shown(3 + 30 * seconds, 0.004, 0.2 * seconds)]),
      await serve(async () => [200, shown(4 + 10 * seconds, 0.002, 0.9 * seconds)]),
    ];
    const context = testContext();
    contexts.push(context);
    const probe = present(await serviceMetrics.open(context));
    const mark = await probe.begin(testArm({ url: urls[0] ?? '', urls, underLoad: () => false }));
    seconds = 1;
    const values = (await mark.end(wholeLoad()))?.values ?? {};
    await probe.close();
    expect(values.pg_pool_in_use_max).toBe(47);
    expect(values.nodejs_eventloop_lag_p99_mean_ms).toBe(4);
    expect(values.event_loop_active_seconds_per_s).toBeCloseTo(1.1, 5);
    expect(values.event_loop_active_busiest_seconds_per_s).toBeCloseTo(0.9, 5);
    expect(values.pg_pool_acquire_per_s).toBe(40);
    expect(values.pg_pool_acquire_mean_ms).toBeCloseTo(5, 5);
    const names = new Set(context.samples('service-metrics').map((row) => row[4]));
    expect([...names].filter((name) => name?.startsWith('pg_pool_in_use'))).toEqual([
      'pg_pool_in_use',
      'pg_pool_in_use of instance 0',
      'pg_pool_in_use of instance 1',
    ]);
  });

  it.each([
    [
      'one process',
      [100, 5],
      [100, 6],
      ['event_loop_active_seconds_per_s', 'pg_pool_acquire_per_s', 'pg_pool_acquire_mean_ms'],
    ],
    ['another worker, by its start', [100, 5], [101, 6], []],
    ['another worker that was forked in the same second, by its CPU time', [100, 5], [100, 4], []],
  ])('has gauges whoever answers, and what was counted by %s', async (_, first, last, counted) => {
    const shown = ([start, cpu]: readonly number[], count: number): string => `# TYPE go_goroutines gauge
go_goroutines 7
process_start_time_seconds ${start}
# TYPE event_loop_active_seconds_total counter
event_loop_active_seconds_total ${count}
# TYPE pg_pool_acquire_seconds summary
pg_pool_acquire_seconds_sum ${count}
pg_pool_acquire_seconds_count ${count}
process_cpu_seconds_total ${cpu}
`;
    let text = shown(first, 1);
    const context = testContext();
    contexts.push(context);
    const probe = present(await serviceMetrics.open(context));
    const mark = await probe.begin(testArm({ url: await serve(async () => [200, text]), underLoad: () => false }));
    text = shown(last, 3);
    const values = (await mark.end(wholeLoad()))?.values ?? {};
    await probe.close();
    expect(values).toMatchObject({ go_goroutines_mean: 7 });
    expect(
      Object.keys(values)
        .filter((name) => /^(pg_pool|event_loop|process_cpu)/.test(name))
        .sort(),
    ).toEqual([...counted, ...(counted.length > 0 ? ['process_cpu_seconds_per_s'] : [])].sort());
  });

  it('reads meanwhile too, so that a gauge that rose and fell is seen; a reading that failed is told once', async () => {
    const answers: [number, string][] = [1, 100, 0, 4].map((value) => [
      value === 0 ? 500 : 200,
      `go_goroutines ${value}\n`,
    ]);
    let asked = 0;
    const url = await serve(async () => answers[Math.min(asked++, 3)] ?? [500, '']);
    const context = testContext({ metrics: wanted });
    contexts.push(context);
    const probe = present(await serviceMetrics.open(context));
    const mark = await probe.begin(testArm({ url }));
    await vi.waitUntil(() => asked >= 3, { timeout: 60_000 });
    const reading = await mark.end(wholeLoad());
    await probe.close();
    expect(reading?.values.go_goroutines_max).toBe(100);
    expect(reading?.values.go_goroutines_mean, 'of those under load').toBe(100);
    expect(context.warnings).toEqual([missed('GET /metrics answered 500')]);
    expect(
      context
        .samples('service-metrics')
        .slice(0, 4)
        .map((row) => row.at(-1)),
    ).toEqual(['value', '1', '100', '4']);
  });

  it('is not read in other arms’ turns, and of an answer that comes after the turn nothing is told', async () => {
    let [asked, loaded] = [0, false];
    const url = await serve(async () => {
      if (asked++ === 1) loaded = false;
      return [200, `go_goroutines ${asked === 2 ? 100 : 1}\n`];
    });
    const context = testContext({ metrics: wanted });
    contexts.push(context);
    const probe = present(await serviceMetrics.open(context));
    const mark = await probe.begin(testArm({ url, underLoad: () => loaded }));
    await sleep(1300);
    expect(asked).toBe(1);
    loaded = true;
    await vi.waitUntil(() => asked >= 2, { timeout: 60_000 });
    const reading = await mark.end(wholeLoad());
    await probe.close();
    expect(reading?.values.go_goroutines_max).toBe(1);
  });

  it('stops with the run where a slice never got to its end', async () => {
    let asked = 0;
    const url = await serve(async () => [200, `go_goroutines ${++asked}\n`]);
    const context = testContext();
    contexts.push(context);
    const probe = present(await serviceMetrics.open(context));
    await probe.begin(testArm({ url }));
    await vi.waitUntil(() => asked >= 2, { timeout: 60_000 });
    await probe.close();
    const then = asked;
    await sleep(2500);
    expect(asked).toBe(then);
  });

  it('says once why there is nothing, and what to do', async () => {
    const missing = await slice(await serve(async () => [404, 'nothing here']), () => {}, wanted);
    expect([missing.first, missing.last]).toEqual([null, null]);
    expect(missing.context.warnings).toEqual([missed('GET /metrics answered 404')]);
    const page = await slice(await serve(async () => [200, '<html></html>']), () => {}, wanted);
    expect(page.context.warnings).toEqual([missed(expect.stringContaining('line 1 is not in the text format'))]);
    const strange = await slice(await serve(async () => [200, 'my_own 1\n']), () => {}, wanted);
    expect(strange.context.warnings).toEqual([missed(expect.stringContaining('name some in target.metrics'))]);
    const nobody = await slice('http://127.0.0.1:9', () => {}, wanted);
    expect(nobody.context.warnings).toEqual([missed(expect.stringContaining('GET /metrics was not answered'))]);
    const unasked = await slice(await serve(async () => [404, 'nothing here']), () => {});
    expect(unasked.context.warnings, 'a service that shows none is no mistake').toEqual([]);
  });

  it('names what the scenario asked for and the service never showed', async () => {
    const url = await serve(async () => [200, 'go_goroutines 1\n']);
    const { context } = await slice(url, () => {}, { path: '/metrics', include: ['go_gorutines', 'go_goroutines'] });
    expect(context.warnings).toEqual([
      { kind: 'metrics-missing', path: '/metrics', names: ['go_gorutines'], near: ['go_goroutines'] },
    ]);
  });

  it('names them, too, where the service shows none that is known, with the nearest that it shows', async () => {
    const url = await serve(async () => [200, '# TYPE app_requests counter\napp_requests_total 1\nother 2\n']);
    const include = ['app_reqests_total', 'zzz{code="500"}'];
    const { context } = await slice(url, () => {}, { path: '/metrics', include });
    const said = 'GET /metrics shows none of app_reqests_total, zzz{code="500"} (did you mean app_requests_total?)';
    expect(context.warnings).toEqual([missed(said)]);
  });

  it('shows all that a pattern stands for, in the text of Prometheus or of OpenMetrics', async () => {
    let saved = 3;
    const text = (): string => `# TYPE store_save_seconds histogram
store_save_seconds_bucket{kind="post",le="0.1"} ${saved}
store_save_seconds_bucket{kind="post",le="+Inf"} ${saved}
store_save_seconds_sum{kind="post"} ${0.05 * saved}
store_save_seconds_count{kind="post"} ${saved}
# TYPE store_hits counter
store_hits_total ${2 * saved}
# TYPE queue gauge
queue 4
`;
    const url = await serve(async () => [200, text()]);
    const load = (): void => {
      saved += 10;
    };
    const { first, context } = await slice(url, load, { path: '/metrics', include: ['store_*', 'nothing_*'] });
    expect(first?.values).toMatchObject({
      store_save_per_s: 10,
      store_save_mean_ms: expect.closeTo(50, 6),
      store_hits_per_s: 20,
    });
    expect(Object.keys(first?.values ?? {}).filter((name) => name.startsWith('queue'))).toEqual([]);
    expect(context.warnings).toEqual([{ kind: 'metrics-missing', path: '/metrics', names: ['nothing_*'], near: [] }]);
    const all = await slice(url, load, { path: '/metrics', include: ['*'] });
    expect(all.first?.values).toMatchObject({ queue_mean: 4, store_hits_per_s: 20 });
    expect(all.context.warnings).toEqual([]);
  });

  it('has a list of its own without mistakes', () => {
    expect(defaultMetrics.filter((text) => parseSelector(text) === null)).toEqual([]);
    expect(new Set(defaultMetrics).size).toBe(defaultMetrics.length);
  });
});
