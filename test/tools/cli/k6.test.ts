import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import type { Summary } from '../../../src/judge/summary.ts';
import { exitCodeOf, startCli } from '../../cli/cli.ts';
import { untilNothingIsLeft } from '../../cli/left-overs.ts';
import { needs } from '../../support/needs.ts';

const k6 = await needs('k6');

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = () => ({ PATH: [k6.has, process.env.PATH].join(delimiter) });

async function answersAfter(ms: number): Promise<Server> {
  const server = createServer((_, response) => void setTimeout(() => response.end('ok'), ms));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('a scenario with a k6 script', k6.orSkip, () => {
  it('is swept: the example', async () => {
    const run = join(folder, 'run');
    const options = ['--quick', '--seed', '7', '--out', run];
    const { code, err } = await startCli(['sweep', 'docs/examples/items/k6.yaml', ...options], { env: env() }).done;
    expect(code, err).toBe(exitCodeOf(run));
    const records = [...readJournal(join(run, 'journal.jsonl')).records];
    const slices = records.flatMap((record) => (record.type === 'slice' ? [record] : []));
    // Two variants and the control again, each under two numbers of users, in whole slices.
    expect(slices.map(({ load }) => load).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      ...Array.from({ length: 3 }, () => ({ users: 25, of: 'vus' })),
      ...Array.from({ length: 3 }, () => ({ users: 5, of: 'vus' })),
    ]);
    for (const { byRequest, outcomes, turns, generator } of slices) {
      expect(Object.keys(byRequest).sort()).toEqual(['create', 'list']);
      expect(outcomes).toMatchObject({ errors: 0, timeouts: 0 });
      expect(Object.keys(outcomes.statuses).sort()).toEqual(['200', '201']);
      expect(countAll(outcomes)).toBeGreaterThan(0);
      expect(turns?.ok).toHaveLength(1);
      expect(generator.cpuMs).toBeGreaterThan(0);
    }
    const told = records.flatMap((record) => (record.type === 'probe' && record.probe === 'k6' ? [record.values] : []));
    expect(told).toHaveLength(slices.length);
    for (const values of told) {
      expect(values).toMatchObject({ 'k6_check_failed_percent{ten items}': 0, k6_exceptions: 0 });
      expect(values.k6_iterations_per_s).toBeGreaterThan(0);
      expect(values).toHaveProperty('k6_threshold_crossed{http_req_duration{name:list}}');
    }
    const report = readFileSync(join(run, 'report.md'), 'utf8');
    for (const text of ['5 users', '25 users', 'k6_iterations_per_s', 'create']) expect(report).toContain(text);
    await untilNothingIsLeft();
  });

  it('of four rounds has verdicts as any other load: intervals, exact percentiles, the control twice', {
    timeout: 180_000,
  }, async () => {
    const servers = await Promise.all([20, 40].map(answersAfter));
    const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    });
    writeFileSync(
      join(folder, 'get.js'),
      `import http from 'k6/http';\nexport default () => { http.get(__ENV.BASE_URL + '/', { tags: { name: 'get' } }); };\n`,
    );
    const file = join(folder, 'rounds.yaml');
    writeFileSync(
      file,
      `target: { url: "${urls[0]}" }
variants: { Control: {}, Slow: { url: "${urls[1]}" } }
control: Control
load: { k6: get.js, users: 10, slice: 2s, warmup: 1s }
rounds: { min: 4, max: 4 }
`,
    );
    const run = join(folder, 'rounds');
    const { code, err } = await startCli(['sweep', file, '--seed', '7', '--out', run], { env: env() }).done;
    expect(code, err).toBe(exitCodeOf(run));
    const slices = [...readJournal(join(run, 'journal.jsonl')).records].flatMap((record) =>
      record.type === 'slice' ? [record] : [],
    );
    expect(slices.map(({ round, variant, repeat }) => `${round} ${variant} ${repeat}`).sort()).toEqual(
      [1, 2, 3, 4].flatMap((round) => ['Control false', 'Control true', 'Slow false'].map((arm) => `${round} ${arm}`)),
    );
    for (const { latency, outcomes, variant } of slices) {
      // Each request has its own latency: no summary of k6's could be merged over rounds.
      expect(latency.count).toBe(countAll(outcomes));
      expect(latency.p50Us).toBeGreaterThan(variant === 'Slow' ? 39_000 : 19_000);
    }
    const summary: Summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
    expect(summary.run).toMatchObject({ rounds: 4, judgedBy: 'latency_mean_ms', quick: false });
    const judged = (metric: string) => summary.comparisons.find((one) => one.metric === metric);
    // An interval is there whatever this machine did meanwhile; where the session is fit, the planted difference is seen.
    for (const metric of ['latency_mean_ms', 'latency_p50_ms'])
      expect(judged(metric)).toMatchObject({
        rounds: 4,
        interval: [expect.any(Number), expect.any(Number)],
        verdict: summary.session.verdict === 'fit' ? 'higher' : 'unfit',
      });
    expect(judged('latency_p50_ms')?.deltaPercent).toBeGreaterThan(30);
    expect(summary.repeats.find(({ metric }) => metric === 'latency_mean_ms')).toMatchObject({ rounds: 4 });
    await untilNothingIsLeft();
  });

  it('whose script does not compile ends before anything is started', async () => {
    const items = resolve('docs/examples/items');
    writeFileSync(join(folder, 'broken.js'), 'export default function () {\n  http.get(;\n}\n');
    const file = join(folder, 'broken.yaml');
    writeFileSync(
      file,
      `target: { command: node ${items}/server.mjs, ready: /health }
dataset: { sql: ${items}/schema.sql }
variants: { Control: {}, Other: { env: { POOL_MAX: 2 } } }
control: Control
load: { k6: broken.js, rate: 5 }
`,
    );
    const { code, err } = await startCli(['sweep', file, '--out', join(folder, 'broken')], { env: env() }).done;
    expect(code).toBe(2);
    expect(err).toMatch(/k6 cannot run .*broken\.js: Line 2:12 Unexpected token ;/);
    expect(err).not.toContain('stack');
  });

  it('is refused without k6, which the doctor says as well', async () => {
    const without = {
      env: {
        PATH: process.env.PATH?.split(delimiter)
          .filter((one) => one !== k6.has)
          .join(delimiter),
      },
    };
    const file = 'docs/examples/items/k6.yaml';
    const swept = await startCli(['sweep', file, '--out', join(folder, 'without')], without).done;
    expect(swept.code).toBe(3);
    expect(swept.err).toMatch(/there is no program k6 on PATH.*Install k6/s);
    const examined = await startCli(['doctor', file, '--watch', '100ms'], without).done;
    expect(examined.code).toBe(3);
    expect(examined.out).toMatch(/problem +k6 +there is no program k6 on PATH/);
  });
});
