import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAutocannonStream } from '../../../src/measure/load/autocannon/autocannon-stream.ts';
import { openHttpStream } from '../../../src/measure/load/http-stream.ts';
import type { LoadStream } from '../../../src/measure/load/load-generator.ts';
import { createSilence } from '../../../src/measure/load/silence.ts';

const refused = { kind: 'errors', message: 'reset', name: 0, waitedMs: 0 } as const;

describe('the silence of a service', () => {
  let nowMs = 0;
  beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs));
  afterEach(() => void vi.restoreAllMocks());

  /** Says after how many failures, with this time between them, it has lasted too long. */
  function lasts(
    durationMs: number,
    everyMs: number,
    failure: { kind: 'errors' | 'timeouts' } = refused,
  ): number | null {
    const silence = createSilence('http://h');
    silence.begin({ durationMs });
    for (let count = 1; count <= 10_000; count++) {
      if (silence.failed({ ...refused, ...failure }) !== null) return count;
      nowMs += everyMs;
    }
    return null;
  }

  it('is over after so many errors and so much time, which in a short turn is half of it', () => {
    expect(lasts(60_000, 0.5)).toBe(4001);
    expect(lasts(60_000, 50)).toBe(200);
    expect(lasts(1000, 0.125)).toBe(4001);
  });

  it('may last over turns, of which each has its time', () => {
    const silence = createSilence('http://h');
    const given: (string | undefined)[] = [];
    for (let turn = 0; turn < 3; turn++) {
      silence.begin({ durationMs: 200 });
      for (let count = 0; count < 120; count++, nowMs++) given.push(silence.failed(refused)?.message);
      nowMs += 60_000;
    }
    const first = given.findIndex((message) => message !== undefined);
    expect([first, given[first]]).toEqual([220, 'http://h failed 221 requests without an answer, lastly by: reset']);
  });

  it('has no timeouts, and ends with any answer', () => {
    expect(lasts(60_000, 10, { kind: 'timeouts' })).toBeNull();
    const silence = createSilence('http://h');
    silence.begin({ durationMs: 60_000 });
    for (let count = 0; count < 10_000; count++) {
      expect(silence.failed(refused)).toBeNull();
      nowMs += 10;
      if (count % 100 === 0) silence.answered();
    }
  });
});

describe('a service that serves a third of the connections, late, and closes the others', () => {
  const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  const [SERVED, LATE_MS] = [20, 200];
  const served = new Set<Socket>();
  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => {});
      if (served.size === SERVED) return void socket.resetAndDestroy();
      served.add(socket);
      socket.on('close', () => served.delete(socket));
      socket.on('data', () => setTimeout(() => socket.writable && socket.write(ANSWER), LATE_MS));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterEach(() => {
    for (const socket of served) socket.destroy();
    server.close();
  });

  const get = { method: 'GET', path: '/', name: 0 };
  const source = { names: ['get'], fixed: get, next: () => get };
  const job = () => ({ url, load: { connections: 60 }, seed: 1, timeoutMs: 30_000 });

  /** Loads it until more requests have failed than a service that answers nothing may. */
  async function failures(stream: LoadStream): Promise<void> {
    for (let errors = 0; errors <= 500; ) {
      const { whole, wholeOk } = await stream.turn({ durationMs: 1500, fromMs: 0, toMs: 1500 });
      expect(wholeOk).toBeGreaterThan(0);
      errors += whole.errors;
    }
    await stream.close();
  }

  it('is loaded', () => failures(openHttpStream(job(), source)));

  it('is loaded by autocannon', () => failures(openAutocannonStream(job(), source)));
});
