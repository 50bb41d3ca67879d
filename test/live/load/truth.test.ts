import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAll, countOk } from '../../../src/journal/outcomes.ts';
import { openPoster } from '../../../src/measure/load/bulk/poster.ts';
import type { ConnectionCounts } from '../../../src/measure/load/connection-outcomes.ts';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadResult } from '../../../src/measure/load/load-generator.ts';
import type { RequestSource } from '../../../src/measure/load/request-source.ts';
import type { Command, Truth } from './raw-server.ts';

const CONNECTIONS = 20;
const turn = { durationMs: 200, fromMs: 20, toMs: 200 };
let server: ChildProcess;
beforeAll(async () => {
  server = fork(join(import.meta.dirname, 'raw-server.ts'), { execArgv: ['--import', 'tsx'] });
  await once(server, 'message');
});
afterAll(() => server.disconnect());

async function tell<T>(command: Command): Promise<T> {
  server.send(command);
  const [told] = (await once(server, 'message')) as [T];
  return told;
}

const startServer = (mode = 'loud'): Promise<number> => tell(`begin ${mode}`);
const ask = (command: Command): Promise<Truth> => tell(command);

interface Seen {
  readonly result: LoadResult;
  readonly truth: Truth;
  /** Requests that the bench has made. */
  readonly made: number;
}

/** Turns, between which the server now and then closes what is idle, until it has got this many requests. */
async function loadUntil(requests: number, mode?: string): Promise<Seen> {
  const port = await startServer(mode);
  let made = 0;
  const source: RequestSource = {
    names: ['any'],
    next: () => ({ method: made % 97 === 0 ? 'HEAD' : 'GET', path: `/${made++}`, name: 0 }),
  };
  const job = { url: `http://127.0.0.1:${port}`, load: { connections: CONNECTIONS }, seed: 1, timeoutMs: 10_000 };
  const stream = openHttpStream(job, source);
  for (let turns = 1; (await ask('report')).got < requests; turns++) {
    await stream.turn(turn);
    if (turns % 4 === 0) await ask('close idle');
  }
  await ask('calm');
  // All that was lost is open again after it.
  await stream.turn(turn);
  const result = await stream.close();
  // What the bench has closed is heard of by the server.
  await sleep(100);
  return { result, truth: await ask('report'), made };
}

interface Posted {
  readonly outcomes: Record<string, number>;
  readonly counts: ConnectionCounts;
  readonly truth: Truth;
  readonly made: number;
}

/** Batches over connections that rest between them, as in the turns of a bulk load, and are closed now and then. */
async function postUntil(requests: number, mode?: string): Promise<Posted> {
  const port = await startServer(mode);
  const poster = openPoster({ url: `http://127.0.0.1:${port}`, connections: CONNECTIONS, timeoutMs: 3000 });
  const outcomes: Record<string, number> = {};
  let made = 0;
  const postOne = (): Promise<void> =>
    new Promise((resolve) => {
      const body = 'x'.repeat(made % 3000);
      poster.post({ path: `/${made++}`, body }, ({ outcome }) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        resolve();
      });
    });
  const batch = (size: number): Promise<unknown> => Promise.all(Array.from({ length: size }, postOne));
  for (let batches = 1; made < requests; batches++) {
    await batch(500);
    // Sometimes long enough for the client to hear of it, and sometimes not.
    if (batches % 4 === 0) await ask('close idle');
    if (batches % 3 === 0) await sleep(30);
    if (batches % 2 === 0) await poster.connect();
  }
  await ask('calm');
  await poster.connect();
  await batch(CONNECTIONS);
  poster.close();
  await sleep(100);
  return { outcomes, counts: poster.counts, truth: await ask('report'), made };
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe('bench and server agree on every count, whatever goes wrong', () => {
  it('over 100,000 requests with every kind of failure at once', async () => {
    const { result, truth, made } = await loadUntil(100_000);
    const { whole, outcomes, latency } = result;
    // Every kind is there, or this says nothing.
    expect(Object.keys(truth.dropped)).toHaveLength(10);
    for (const count of [...Object.values(truth.dropped), ...Object.values(truth.statuses), truth.closing]) {
      expect(count).toBeGreaterThan(50);
    }
    expect(truth.idleClosed).toBeGreaterThan(50);
    expect(truth.hung).toBeGreaterThan(2);

    expect(whole).toEqual({ statuses: truth.statuses, errors: sum(truth.dropped), timeouts: truth.hung });
    expect(countAll(whole)).toBe(made);
    expect({ got: truth.got, again: truth.again }).toEqual({ got: made, again: 0 });
    expect(result.connectionsOpened).toBe(truth.accepted);
    expect(result.closingAnswers).toBe(truth.closing);
    expect(result.reopened).toBe(truth.idleClosed);
    // What failed has no latency.
    expect(latency.count).toBe(countOk({ outcomes }));
  });

  it.each([3, 700, 4500])('the connection of every %i. request is closed in place of an answer', async (every) => {
    const { result, truth, made } = await loadUntil(every === 3 ? 6000 : 15_000, `every ${every}`);
    expect(truth.got).toBe(made);
    expect(truth.dropped.closed).toBeGreaterThanOrEqual(3);
    expect(result.whole).toEqual({ statuses: truth.statuses, errors: truth.dropped.closed, timeouts: 0 });
    expect(result.latency.count).toBe(countOk(result));
    expect(result.connectionsOpened).toBe(truth.accepted);
    expect(result.busyMs).toBeLessThanOrEqual(CONNECTIONS * result.windowMs);
  });

  it('HTTP/1.0 closes after each answer, and no connection is busier than can be', async () => {
    const { result, truth, made } = await loadUntil(6000, 'every 0');
    expect(truth.got).toBe(made);
    expect(result.whole).toEqual({ statuses: truth.statuses, errors: 0, timeouts: 0 });
    expect(result.closingAnswers).toBe(truth.closing);
    expect(result.busyMs).toBeLessThanOrEqual(CONNECTIONS * result.windowMs);
  });

  it('a service that closes without a word: what it did not read has failed, what it closed at rest has not', async () => {
    const { result, truth, made } = await loadUntil(20_000, 'silent');
    const { whole, reopened } = result;
    expect(truth.silent).toBeGreaterThan(300);
    expect(whole.statuses).toEqual(truth.statuses);
    expect(countAll(whole)).toBe(made);
    expect(truth.again).toBe(0);
    const unread = made - truth.got;
    expect(whole.errors).toBe(sum(truth.dropped) + unread);
    expect(reopened).toBe(truth.idleClosed + truth.silent - unread);
  });

  it('a bulk load, over 30,000 posts with every kind of failure at once', async () => {
    const { outcomes, counts, truth, made } = await postUntil(30_000);
    expect(Object.keys(truth.dropped)).toHaveLength(10);
    for (const count of Object.values(truth.dropped)) expect(count).toBeGreaterThan(15);
    expect(truth.idleClosed).toBeGreaterThan(50);
    expect(truth.hung).toBeGreaterThan(0);
    // A post may set out just as the server closes its connection at rest: it is not read, and no post is sent twice.
    // How many do is up to the machine; each of them is one of these connections, or `reopened` would not be what it is.
    const unread = made - truth.got;
    expect(unread).toBeLessThan(truth.idleClosed);
    expect(outcomes).toEqual({ ...truth.statuses, error: sum(truth.dropped) + unread, timeout: truth.hung });
    expect(sum(outcomes)).toBe(made);
    expect(truth.again).toBe(0);
    const reopened = truth.idleClosed - unread;
    expect(counts).toEqual({ opened: truth.accepted, reopened, closingAnswers: truth.closing });
  });
});
