import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { countAll, countOk } from '../../../src/journal/outcomes.ts';
import { openHttpStream } from '../../../src/load/http-stream.ts';
import type { LoadResult } from '../../../src/load/load-generator.ts';
import type { RequestSource } from '../../../src/load/request-source.ts';
import type { Command, Truth } from './raw-server.ts';

const turn = { durationMs: 200, fromMs: 20, toMs: 200 };
let server: ChildProcess | null = null;
afterEach(() => server?.disconnect());

async function startServer(mode = 'loud'): Promise<number> {
  server = fork(join(import.meta.dirname, 'raw-server.ts'), [mode], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(server, 'message')) as [number];
  return port;
}

async function ask(command: Command): Promise<Truth> {
  server?.send(command);
  const [truth] = (await once(server as ChildProcess, 'message')) as [Truth];
  return truth;
}

interface Seen {
  readonly result: LoadResult;
  readonly truth: Truth;
  /** Requests that the bench has made. */
  readonly made: number;
}

/** Turns, between which the server now and then closes what is idle, until it has got so many requests. */
async function loadUntil(requests: number, mode?: string): Promise<Seen> {
  const port = await startServer(mode);
  let made = 0;
  const source: RequestSource = {
    names: ['any'],
    next: () => ({ method: made % 97 === 0 ? 'HEAD' : 'GET', path: `/${made++}`, name: 0 }),
  };
  const job = { url: `http://127.0.0.1:${port}`, load: { connections: 20 }, seed: 1, timeoutMs: 10_000 };
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
});
