import { EventEmitter } from 'node:events';
import type { AutocannonClient } from 'autocannon';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientWatch, type WatchedAnswer } from '../../../../src/measure/load/autocannon/client-watch.ts';
import type { Failed } from '../../../../src/measure/load/connection-outcomes.ts';
import type { RequestSource } from '../../../../src/measure/load/request-source.ts';

let nowMs: number;
beforeEach(() => {
  nowMs = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly errored: Error | null = null;
}

/** A client as autocannon has it: events in the order of autocannon's own, and a new socket where one has ended. */
class FakeClient extends EventEmitter {
  conn = new FakeSocket();
  destroyed = false;
  readonly watch: ClientWatch;

  constructor(watch: ClientWatch) {
    super();
    this.watch = watch;
    watch.setupClient(this as unknown as AutocannonClient);
  }

  send(): void {
    this.emit('request');
  }

  answer(status: number, { socket = this.conn, closes = false, body = '' } = {}): boolean {
    socket.emit('data');
    this.emit('headers', { shouldKeepAlive: !closes });
    this.emit('response', status, 100);
    return this.watch.verifyBody(body);
  }

  close(socket = this.conn): void {
    socket.destroyed = true;
    if (socket === this.conn) this.conn = new FakeSocket();
    socket.emit('close');
  }
}

const source: RequestSource = {
  names: ['get'],
  fixed: { method: 'GET', path: '/', headers: {}, name: 0 },
  next: () => ({ method: 'GET', path: '/', headers: {}, name: 0 }),
};

function watched(of: RequestSource = source) {
  const answers: WatchedAnswer[] = [];
  const failures: Failed[] = [];
  const watch = new ClientWatch(of, {
    answered: (answer, body) => answers.push(answer) > 0 && body !== 'wrong',
    failed: (failure) => failures.push(failure),
  });
  const requests = watch.requests();
  return { watch, requests, client: new FakeClient(watch), answers, failures };
}

describe('what comes of requests that autocannon sends', () => {
  it('is an answer with its latency, from when it was sent to when all of it was there', () => {
    const { client, answers, failures, watch } = watched();
    client.conn.emit('connect');
    client.send();
    nowMs += 7.25;
    expect(client.answer(200)).toBe(true);
    client.send();
    nowMs += 3;
    expect(client.answer(503, { body: 'wrong' })).toBe(false);
    expect(answers).toEqual([
      { status: 200, bytes: 100, latencyMs: 7.25, name: 0 },
      { status: 503, bytes: 100, latencyMs: 3, name: 0 },
    ]);
    expect([failures, watch.end(), watch.lost]).toEqual([[], 0, 0]);
  });

  it('is counted in the order of its socket where several are under way', () => {
    const { client, answers, watch } = watched();
    for (const waitMs of [0, 1, 2]) {
      nowMs = 1000 + waitMs;
      client.send();
    }
    nowMs = 1010;
    client.answer(200);
    client.answer(201);
    expect(answers.map(({ status, latencyMs }) => [status, latencyMs])).toEqual([
      [200, 10],
      [201, 9],
    ]);
    expect(watch.end()).toBe(1);
  });

  it('has the name of the request that was drawn for it', () => {
    const names = [0, 1, 0, 2];
    let drawn = 0;
    const next = () => ({ method: 'GET', path: '/', headers: {}, name: names[drawn++] ?? 0 });
    const { watch, requests, answers } = watched({ names: ['a', 'b', 'c'], next });
    const draw = () => requests[0]?.setupRequest?.({});
    // autocannon builds a client's first request before it has the client, and each other one as it is sent.
    draw();
    const client = new FakeClient(watch);
    client.send();
    client.answer(200);
    for (let sent = 0; sent < 3; sent++) {
      client.send();
      draw();
      client.answer(200);
    }
    expect(answers.map(({ name }) => name)).toEqual(names);
  });

  it('is lost where the service had announced to close, and neither failed nor slow', () => {
    const { client, answers, failures, watch } = watched();
    const { conn } = client;
    client.send();
    client.send();
    nowMs += 5;
    client.answer(200, { closes: true });
    client.close(conn);
    client.send();
    nowMs += 4;
    client.answer(200);
    // autocannon itself would take this for the answer to the second request.
    expect(answers.map(({ latencyMs }) => latencyMs)).toEqual([5, 4]);
    expect([failures, watch.lost, watch.closingAnswers, watch.end()]).toEqual([[], 1, 1, 0]);
  });

  it('has failed where the socket closes without a word, or time is over', () => {
    const { client, failures, watch } = watched();
    client.send();
    nowMs += 6;
    client.close();
    client.send();
    nowMs += 9;
    client.conn.destroyed = true;
    client.emit('timeout');
    expect(failures).toEqual([
      { kind: 'errors', message: 'the service closed the connection', name: 0, waitedMs: 6 },
      { kind: 'timeouts', message: 'there was no answer in time', name: 0, waitedMs: 9 },
    ]);
    expect([watch.lost, watch.end()]).toEqual([0, 0]);
  });

  it('is nothing of early hints, and cut off at the end', () => {
    const { client, answers, watch } = watched();
    client.send();
    client.answer(103);
    expect(answers).toEqual([]);
    expect(watch.end()).toBe(1);
    client.destroyed = true;
    client.close();
    expect(watch.lost).toBe(0);
  });
});
