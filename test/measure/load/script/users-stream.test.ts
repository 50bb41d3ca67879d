import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startReaper } from '../../../../src/base/process/reaper.ts';
import type { ScriptPart, ScriptSpec, StepSpec } from '../../../../src/journal/script-spec.ts';
import { startLoadGenerator } from '../../../../src/measure/load/generator-process.ts';
import { openHttpStream } from '../../../../src/measure/load/http-stream.ts';
import type { LoadResult } from '../../../../src/measure/load/load-generator.ts';
import { openRateStream } from '../../../../src/measure/load/open-loop/rate-stream.ts';
import { scriptSource } from '../../../../src/measure/load/script/script-source.ts';
import { openUsersStream } from '../../../../src/measure/load/script/users-stream.ts';

interface Session {
  readonly user: string;
  readonly token: string;
  steps: number;
}

let server: Server;
let url: string;
/** By cookie. */
let sessions: Map<string, Session>;
let strangers = 0;

/** Who logs in gets a cookie and a token, and whatever follows has to have both. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url === '/login') {
    const session = { user: JSON.parse(body).user, token: `token-${sessions.size}`, steps: 0 };
    const id = `s${sessions.size}`;
    sessions.set(id, session);
    response.writeHead(201, { 'set-cookie': `sid=${id}; Path=/`, 'content-type': 'application/json' });
    response.end(JSON.stringify({ token: session.token }));
    return;
  }
  const session = sessions.get(/sid=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? '');
  if (session === undefined || request.headers.authorization !== `Bearer ${session.token}`) {
    strangers++;
    response.writeHead(401).end();
    return;
  }
  session.steps++;
  response.setHeader('server-timing', 'db;dur=5, app;dur=0.25, cache;desc=hit');
  response.end('[]');
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  sessions = new Map();
  strangers = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const step = (more: Partial<StepSpec>): ScriptPart => ({
  kind: 'step',
  step: { name: more.path ?? 'list', method: 'GET', path: '/items', headers: {}, ...more },
});
const login = step({
  path: '/login',
  method: 'POST',
  body: { user: '${uuid}' },
  once: true,
  capture: { token: { kind: 'json', path: '$.token' } },
});
const list = (more: Partial<StepSpec> = {}): ScriptPart =>
  step({ name: 'list', headers: { authorization: 'Bearer ${captured token}' }, ...more });
const scriptOf = (...parts: ScriptPart[]): ScriptSpec => ({ kind: 'script', parts });
const sourceOf = (spec: ScriptSpec) => scriptSource(spec, { seed: 1, url, unique: () => 1 });
const job = { seed: 1, timeoutMs: 30_000 };

async function run(spec: ScriptSpec, users: number, turns: number, durationMs: number): Promise<LoadResult> {
  const stream = openUsersStream({ ...job, url, load: { users } }, sourceOf(spec));
  for (let turn = 0; turn < turns; turn++) await stream.turn({ durationMs, fromMs: 0, toMs: durationMs });
  return stream.close();
}

describe('users', () => {
  it('log in once each, and go on with their own cookies and tokens from turn to turn', async () => {
    const result = await run(scriptOf(login, list({ think: { kind: 'constant', ms: 20 } })), 10, 2, 1200);
    const all = [...sessions.values()];
    const steps = all.reduce((sum, session) => sum + session.steps, 0);
    expect(all).toHaveLength(10);
    expect(new Set(all.map(({ user }) => user)).size).toBe(10);
    expect(strangers).toBe(0);
    expect(steps).toBeGreaterThan(0);
    expect(result.whole).toEqual({ statuses: { '200': steps, '201': 10 }, errors: 0, timeouts: 0 });
    expect(result.wholeOk).toBe(steps + 10);
    expect(Object.keys(result.byRequest)).toEqual(['list']);
    expect(result.connectionsOpened).toBe(10);
  });

  it('are in their steady state when the clock starts: what comes before does not count, and is in the whole', async () => {
    const spec = scriptOf(
      login,
      list({ think: { kind: 'constant', ms: 600 } }),
      list({ name: 'again', think: { kind: 'constant', ms: 10 } }),
    );
    const stream = openUsersStream({ ...job, url, load: { users: 40 } }, sourceOf(spec));
    const turn = await stream.turn({ durationMs: 600, fromMs: 0, toMs: 600 });
    const { byRequest, outcomes } = await stream.close();
    expect(byRequest['/login']?.latency.count ?? 0).toBe(0);
    const [first, second] = [byRequest.list?.latency.count ?? 0, byRequest.again?.latency.count ?? 0];
    // Where all began at step one, none came to the next in the time of its pause.
    expect(second).toBeGreaterThan(0);
    expect(first).toBeGreaterThan(0);
    expect(outcomes.statuses['200']).toBe(first + second);
    expect(turn.whole.statuses['201']).toBe(40);
    expect(turn.whole.statuses['200']).toBeGreaterThanOrEqual(first + second + 40);
    expect(strangers).toBe(0);
  });

  it('pause after each step, and their time stands still between turns', async () => {
    const spec = scriptOf(login, list({ think: { kind: 'constant', ms: 200 } }));
    const stream = openUsersStream({ ...job, url, load: { users: 5 } }, sourceOf(spec));
    for (let turn = 0; turn < 4; turn++) {
      await stream.turn({ durationMs: 100, fromMs: 0, toMs: 100 });
      await sleep(400);
    }
    const { loadMs } = await stream.close();
    // The one before the pause that a user is met in, the one at its end, and one for each whole pause after it.
    for (const { steps } of sessions.values()) expect(steps).toBeLessThanOrEqual(2 + Math.floor(loadMs / 200));
    expect(sessions.size).toBe(5);
  });

  it('fail where an answer lacks what the script needs, and say what that is', async () => {
    const capture = { id: { kind: 'json', path: '$.id' } } as const;
    const think = { kind: 'constant', ms: 30 } as const;
    const spec = scriptOf(step({ path: '/login', method: 'POST', body: { user: 'x' }, capture, think }));
    const stream = openUsersStream({ ...job, url, load: { users: 1 } }, sourceOf(spec));
    const turn = await stream.turn({ durationMs: 1000, fromMs: 0, toMs: 1000 });
    expect(turn).toMatchObject({
      wholeOk: 0,
      failure: { status: 201, text: '"id" could not be captured: there is nothing at $.id' },
    });
    const { ok, outcomes, latency } = await stream.close();
    expect(ok).toBe(0);
    expect(outcomes.statuses['201']).toBeGreaterThan(0);
    expect(latency.count).toBe(0);
  });

  it('tell what the service says of where its time went, added up by step', async () => {
    const { serverTimes, byRequest } = await run(
      scriptOf(login, list({ think: { kind: 'constant', ms: 10 } })),
      4,
      1,
      1000,
    );
    const count = byRequest.list?.latency.count ?? 0;
    expect(count).toBeGreaterThan(0);
    expect(serverTimes).toEqual({ list: { db: 5 * count, app: 0.25 * count } });
  });

  it('send no more once a turn is broken off', async () => {
    const stream = openUsersStream(
      { ...job, url, load: { users: 3 } },
      sourceOf(scriptOf(login, list({ think: { kind: 'constant', ms: 20 } }))),
    );
    const controller = new AbortController();
    const turn = stream.turn({ durationMs: 60_000, fromMs: 0, toMs: 60_000 }, { signal: controller.signal });
    await expect.poll(() => sessions.size).toBe(3);
    controller.abort(new Error('enough'));
    await expect(turn).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const steps = () => [...sessions.values()].reduce((sum, session) => sum + session.steps, 0);
    const before = steps();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(steps()).toBe(before);
    await stream.close();
  });
});

describe('the same script', () => {
  it('runs under connections, each of which is a user without pauses', async () => {
    const pausing = scriptOf(login, list({ think: { kind: 'constant', ms: 60_000 } }));
    const stream = openHttpStream({ ...job, url, load: { connections: 3 } }, sourceOf(pausing));
    await stream.turn({ durationMs: 1000, fromMs: 0, toMs: 1000 });
    const { wholeOk } = await stream.close();
    expect([...sessions.values()].map(({ steps }) => steps > 1)).toEqual([true, true, true]);
    expect(strangers).toBe(0);
    expect(wholeOk).toBe([...sessions.values()].reduce((sum, session) => sum + session.steps, 3));
  });

  it('runs at a rate, where what is due is the next step of a user who waits for nothing', async () => {
    const pausing = scriptOf(login, list({ think: { kind: 'constant', ms: 60_000 } }));
    const openLoop = { arrivals: 'constant', inFlight: 50 } as const;
    const stream = openRateStream({ ...job, url, load: { rate: 20 }, openLoop }, sourceOf(pausing));
    await stream.turn({ durationMs: 1500, fromMs: 0, toMs: 1500 });
    const { wholeOk, whole } = await stream.close();
    const steps = [...sessions.values()].reduce((sum, session) => sum + session.steps, 0);
    expect(strangers).toBe(0);
    expect(steps).toBeGreaterThan(0);
    // Who was not sent for want of a connection has no session.
    expect(wholeOk).toBe(sessions.size + steps);
    expect((wholeOk ?? 0) + (whole.unsent ?? 0)).toBe(30);
  });

  it('is tried step by step before a run, and run by users, in the load generator', async () => {
    const reaper = startReaper();
    const workload = scriptOf(
      login,
      list({ think: { kind: 'constant', ms: 20 } }),
      step({ path: '/none', expect: [401] }),
      // Nobody is told a token here.
      step({ name: 'wrong', path: '/none', expect: [401], expectBody: { json: { '$.token': 'present' } }, once: true }),
    );
    const generator = await startLoadGenerator({ workload, documents: [] }, reaper);
    try {
      const trial = { url, workloads: [null], seed: 1, tries: 3, limitMs: 30_000 };
      expect(await generator.tryRequests(trial)).toMatchObject([
        { name: '/login', sent: 1, outcome: { ok: true, status: 201 } },
        { name: 'list', outcome: { ok: true, status: 200 } },
        { name: '/none', outcome: { ok: true, status: 401 } },
        { name: 'wrong', outcome: { ok: false, status: 401, lacks: 'its body is no JSON' } },
      ]);
      const stream = await generator.open({ ...job, url, load: { users: 4 } });
      const { failure, wholeOk, whole } = await stream.turn({ durationMs: 200, fromMs: 0, toMs: 200 });
      expect(failure).toEqual({ status: 401, text: 'its body is no JSON' });
      expect(wholeOk).toBeGreaterThanOrEqual(4);
      expect(wholeOk).toBeLessThan(Object.values(whole.statuses).reduce((sum, count) => sum + count, 0));
      await stream.close();
      expect(sessions.size).toBe(5);
    } finally {
      await generator.stop();
      await reaper.close();
    }
  });
});
