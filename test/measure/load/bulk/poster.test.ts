import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, openPoster, type Poster } from '../../../../src/measure/load/bulk/poster.ts';

let server: Server | null = null;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
});

/** Answers, or not, the n-th request that it has read, each with all of its body. */
async function start(onRequest: (socket: Socket, number: number) => void): Promise<{ url: string; got: string[] }> {
  const got: string[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      text += String(data);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      if (body.length < Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)) return;
      got.push(`${head.split('\r\n')[0]} ${body}`);
      text = '';
      onRequest(socket, got.length);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, got };
}

const OK = 'HTTP/1.1 201 Created\r\nLoca';
const REST = 'tion: /ed-fi/x/7\r\nContent-Length: 2\r\n\r\nok';

function post(poster: Poster, body: string): Promise<Answer> {
  return new Promise((resolve) => poster.post({ path: '/x', body }, resolve));
}

describe('openPoster', () => {
  it('a first request after idling that was read and dropped has failed, and is not sent again', async () => {
    const { url, got } = await start((socket, number) =>
      number % 2 === 0 ? socket.destroy() : socket.write(OK + REST),
    );
    const poster = openPoster({ url, connections: 1, timeoutMs: 30_000 });
    const outcomes: unknown[] = [];
    for (let i = 0; i < 6; i++) {
      outcomes.push((await post(poster, String(i))).outcome);
      await sleep(40);
    }
    poster.close();
    expect(outcomes).toEqual([201, 'error', 201, 'error', 201, 'error']);
    expect(got).toEqual(['0', '1', '2', '3', '4', '5'].map((body) => `POST /x HTTP/1.1 ${body}`));
    expect(poster.counts).toMatchObject({ opened: 3, reopened: 0 });
  });

  it('tells the place of a document, also where the header comes in pieces', async () => {
    const { url } = await start((socket, number) => {
      socket.write(OK);
      if (number === 1) socket.write(REST);
      else setTimeout(() => socket.write(REST), 20);
    });
    const poster = openPoster({ url: `${url}/api/`, connections: 1, timeoutMs: 30_000 });
    const answers = [await post(poster, 'a'), await post(poster, 'b')];
    poster.close();
    for (const answer of answers)
      expect(answer).toMatchObject({ outcome: 201, location: '/ed-fi/x/7', text: 'ok', bytes: (OK + REST).length });
  });

  it('waits in line where there are more posts than connections, and gives up what is not answered', async () => {
    const { url, got } = await start((socket, number) => {
      if (number !== 3) socket.write(OK + REST);
    });
    const poster = openPoster({ url: `${url}/api/`, connections: 2, timeoutMs: 3000 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(poster, String(index))));
    poster.close();
    expect(got).toHaveLength(20);
    expect(got[0]).toBe('POST /api/x HTTP/1.1 0');
    const late = answers.filter(({ outcome }) => outcome === 'timeout');
    expect(late).toHaveLength(1);
    expect(late[0]?.latencyUs).toBeGreaterThanOrEqual(3_000_000);
  });
});
