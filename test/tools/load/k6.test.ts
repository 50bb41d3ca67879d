import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import type { LoadLevel } from '../../../src/journal/scenario-record.ts';
import type { K6Workload } from '../../../src/journal/script-spec.ts';
import { type StartedGenerator, startLoadGenerator } from '../../../src/measure/load/generator-process.ts';
import { inspectScript, k6Version } from '../../../src/measure/load/k6/k6-program.ts';
import type { LoadResult, TurnResult } from '../../../src/measure/load/load-generator.ts';
import { needs } from '../../support/needs.ts';
import { descendantsOf } from '../../support/processes.ts';

const k6 = await needs('k6');

let reaper: Reaper;
let folder: string;
let server: Server;
let url: string;
let received: { readonly path: string; readonly atMs: number; readonly headers: IncomingMessage['headers'] }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let generator: StartedGenerator | null = null;

beforeAll(async () => {
  if (!k6.isHere) return;
  vi.stubEnv('PATH', [k6.has, process.env.PATH].join(delimiter));
  // Neither may change the load.
  vi.stubEnv('K6_VUS', '50');
  vi.stubEnv('K6_ITERATIONS', '1');
  reaper = startReaper();
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
  server = createServer((request, response) => {
    received.push({ path: request.url ?? '', atMs: performance.now(), headers: request.headers });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await generator?.stop();
  generator = null;
  received = [];
});

afterAll(async () => {
  if (!k6.isHere) return;
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
  await reaper.close();
});

function workload(text: string, others: Partial<K6Workload> = {}): K6Workload {
  const script = join(folder, 'script.js');
  writeFileSync(script, text);
  const variables = { urlVariable: 'BASE_URL', tokenVariable: 'TOKEN' };
  return { kind: 'k6', script, exec: 'default', env: {}, ...variables, ...others };
}

interface Loaded {
  readonly turn: TurnResult;
  readonly result: LoadResult;
}

async function load(spec: K6Workload, level: LoadLevel, { durationMs = 1500, inFlight = 20 } = {}): Promise<Loaded> {
  generator = await startLoadGenerator({ workload: spec, documents: [] }, reaper);
  const openLoop = { arrivals: 'constant', inFlight } as const;
  const job = { url, load: level, openLoop, seed: 7, timeoutMs: 5000, token: 'secret-token' };
  const variant = { name: 'pool=10', factors: { pool: 10 } };
  const stream = await generator.open({ ...job, variant });
  const turn = await stream.turn({ durationMs, fromMs: 0, toMs: durationMs });
  return { turn, result: await stream.close() };
}

const http = "import http from 'k6/http';\n";
const unsent = ({ outcomes }: LoadResult): number => outcomes.unsent ?? 0;
const slowBy = (ms: number) => (_: IncomingMessage, response: ServerResponse) =>
  void setTimeout(() => response.end('ok'), ms);

describe('load by k6', k6.orSkip, () => {
  it('is k6 1.0 or newer', async () => {
    expect(await k6Version()).toMatch(/^[1-9]\d*\.\d+\.\d+/);
  });

  it('of users is what the scenario says, and every request is counted', { timeout: 120_000 }, async () => {
    answer = (request, response) => {
      response.statusCode = request.url === '/gone' ? 404 : 200;
      slowBy(20)(request, response);
    };
    const { turn, result } = await load(
      workload(
        `${http}import { check } from 'k6';
        export const options = {
          scenarios: { mine: { executor: 'constant-vus', vus: 40, duration: '1h' } },
          thresholds: { http_req_failed: ['rate<0.01'], 'http_req_duration{name:item}': ['p(95)<5000'] },
        };
        export function setup() { http.get(__ENV.BASE_URL + '/setup'); }
        export default function () {
          const headers = { authorization: __ENV.TOKEN, variant: __ENV.PGSWEEP_FACTORS, own: __ENV.OWN };
          const answer = http.get(__ENV.BASE_URL + '/items/' + __ITER, { headers, tags: { name: 'item' } });
          check(answer, { 'is 200': ({ status }) => status === 200, 'is 404': ({ status }) => status === 404 });
          http.get(__ENV.BASE_URL + '/gone');
        }`,
        { env: { OWN: 'seven' } },
      ),
      { users: 3 },
    );
    // All that the server saw, setup() too, is in the whole.
    expect(countAll(turn.whole)).toBe(received.length);
    expect(received.filter(({ path }) => path === '/setup')).toHaveLength(1);
    expect(received.find(({ path }) => path === '/items/0')?.headers).toMatchObject({
      authorization: 'secret-token',
      variant: '{"pool":10}',
      own: 'seven',
    });
    expect(Object.keys(result.byRequest).sort()).toEqual(['GET /gone', 'item']);
    const { item, 'GET /gone': gone } = result.byRequest;
    expect(gone?.outcomes.statuses).toEqual({ '404': expect.any(Number) });
    expect(gone?.latency.count).toBe(0);
    expect(item?.latency.p50Us).toBeGreaterThan(19_000);
    expect(result.ok).toBe(item?.outcomes.statuses['200']);
    // Three users, each with two requests of 20 ms one after the other; slower where the machine is.
    expect(countAll(result.outcomes)).toBeLessThanOrEqual(3 * (1500 / 20 + 1));
    expect(countAll(result.outcomes)).toBeGreaterThan(3);
    expect(result.connectionsOpened).toBeGreaterThanOrEqual(3);
    expect(result.bytes).toBeGreaterThan(100 * (item?.latency.count ?? 0));
    expect(result.generator.cpuMs).toBeGreaterThan(0);
    expect(turn.failure).toEqual({ status: 404, text: 'GET /gone' });
    expect(result.probe?.values).toMatchObject({
      k6_checks_failed_percent: 50,
      'k6_check_failed_percent{is 404}': 100,
      'k6_threshold_crossed{http_req_failed}': 1,
      'k6_threshold_crossed{http_req_duration{name:item}}': 0,
      k6_exceptions: 0,
    });
  });

  it('at a rate is so many iterations, and what finds no user is not sent', { timeout: 120_000 }, async () => {
    answer = slowBy(1);
    const script = workload(`${http}export default () => { http.get(__ENV.BASE_URL); }`);
    const { result } = await load(script, { rate: 20 }, { durationMs: 2000 });
    // k6 counts iterations from the start on; the last may begin at the very end.
    expect(received.length + unsent(result)).toBeGreaterThanOrEqual(40);
    expect(received.length + unsent(result)).toBeLessThanOrEqual(41);
    await generator?.stop();
    received = [];
    answer = slowBy(1000);
    const slow = await load(script, { rate: 20 }, { durationMs: 2000, inFlight: 2 });
    expect(received.length).toBeLessThanOrEqual(6);
    expect(unsent(slow.result)).toBeGreaterThanOrEqual(34);
  });

  it('keeps away from other machines', { timeout: 120_000 }, async () => {
    answer = slowBy(1);
    const script = workload(`${http}import { sleep } from 'k6';
      export default () => { http.get('http://192.0.2.1/elsewhere'); sleep(0.2); }`);
    const { result, turn } = await load(script, { users: 1 });
    expect(result.outcomes).toMatchObject({ statuses: {}, timeouts: 0 });
    expect(result.outcomes.errors).toBeGreaterThan(0);
    expect(turn.failure).toEqual({ status: null, text: 'GET http://192.0.2.1/elsewhere' });
  });

  it('ends with the turn that is aborted', { timeout: 120_000 }, async () => {
    answer = slowBy(1);
    const script = workload(`${http}export default () => { http.get(__ENV.BASE_URL); }`);
    generator = await startLoadGenerator({ workload: script, documents: [] }, reaper);
    const stream = await generator.open({ url, load: { users: 2 }, seed: 1, timeoutMs: 5000 });
    const abort = new AbortController();
    const ended = stream
      .turn({ durationMs: 600_000, fromMs: 0, toMs: 600_000 }, { signal: abort.signal })
      .catch((error) => error);
    await expect.poll(() => received.length).toBeGreaterThan(10);
    const { pid } = generator;
    const ofGenerator = () => descendantsOf(pid).filter(({ args }) => /\bk6 run\b/.test(args));
    expect(ofGenerator()).toHaveLength(1);
    abort.abort(new Error('enough'));
    expect(await ended).toMatchObject({ message: 'enough' });
    await expect.poll(ofGenerator).toEqual([]);
    await stream.close();
  });

  it('ends with the generator', { timeout: 120_000 }, async () => {
    answer = slowBy(1);
    const script = workload(`${http}export default () => { http.get(__ENV.BASE_URL); }`);
    generator = await startLoadGenerator({ workload: script, documents: [] }, reaper);
    const stream = await generator.open({ url, load: { users: 2 }, seed: 1, timeoutMs: 5000 });
    void stream.turn({ durationMs: 600_000, fromMs: 0, toMs: 600_000 }).catch(() => {});
    await expect.poll(() => received.length).toBeGreaterThan(10);
    const started = descendantsOf(generator.pid).map(({ pid }) => pid);
    expect(started.length).toBeGreaterThan(0);
    process.kill(generator.pid, 'SIGKILL');
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
  });
});

describe('a script', k6.orSkip, () => {
  const broken: readonly (readonly [string, string, RegExp])[] = [
    [
      'does not compile',
      'export default function () {',
      /^k6 cannot run .*script\.js: file:\/\/.*script\.js: Line 1:29 Unexpected end of input/,
    ],
    ['throws when it is loaded', "throw new Error('no way');\nexport default () => {};", /no way.*script\.js/s],
    ['has no such function', 'export function browse() {}', /exports no function default, but browse/],
    ['imports what is not there', "import './nothing.js';\nexport default () => {};", /nothing\.js/],
  ];
  it.each(broken)('that %s is told by k6 before anything is measured', async (_, text, message) => {
    await expect(inspectScript(workload(text))).rejects.toMatchObject({
      code: 'scenario',
      message: expect.stringMatching(message),
    });
  });

  it('that is well says whether it has thresholds', async () => {
    const plain = 'export default () => {};';
    expect(await inspectScript(workload(plain))).toEqual({ thresholds: [] });
    const limited = `${plain}\nexport const options = { thresholds: { checks: ['rate>0.9'] } };`;
    expect(await inspectScript(workload(limited))).toEqual({ thresholds: ['checks'] });
  });

  const trial = { workloads: [null], seed: 1, tries: 1, limitMs: 4000 };
  const tried = async (text: string) => {
    generator = await startLoadGenerator({ workload: workload(text), documents: [] }, reaper);
    return generator.tryRequests({ url, ...trial });
  };

  it('is tried: what came of each of its requests is told', async () => {
    answer = (request, response) => {
      response.statusCode = request.url === '/gone' ? 404 : 200;
      response.end();
    };
    const text = `${http}export default () => {
      http.get(__ENV.BASE_URL + '/items?limit=3'); http.get(__ENV.BASE_URL + '/gone', { tags: { name: 'gone' } }); }`;
    expect(await tried(text)).toEqual([
      {
        name: 'GET /items?limit',
        method: 'GET',
        path: '/items?limit=3',
        expected: null,
        sent: 3,
        outcome: { kind: 'answer', ok: true, status: 200, body: '' },
      },
      expect.objectContaining({ name: 'gone', outcome: expect.objectContaining({ ok: false, status: 404 }) }),
    ]);
  });

  it('that throws or never sends is told so', async () => {
    await expect(tried('export default () => { null.x; };')).rejects.toThrow(/k6 cannot run .*TypeError.*script\.js/s);
    await generator?.stop();
    await expect(tried('export default () => {};')).rejects.toThrow(/3 iterations of .* sent no request/);
  });
});
