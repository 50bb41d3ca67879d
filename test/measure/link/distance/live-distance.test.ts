import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning } from '../../../../src/base/process/reaper-processes.mjs';
import type { DistanceSpec } from '../../../../src/journal/link/distance.ts';
import type { OpenedLink } from '../../../../src/measure/link/link.ts';
import { openLink } from '../../../../src/measure/link/open-link.ts';
import { withPostgres } from '../../stack/postgres.ts';

const db = withPostgres();
const RTT_MS = 5;

function open(databaseUrl: string, distance: DistanceSpec): Promise<OpenedLink> {
  const variant = { name: 'far', factors: {}, env: {}, distance };
  return openLink({ variant, databaseUrl, reaper: db.reaper, signal: new AbortController().signal });
}

async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

describe('a database at a distance', () => {
  let link: OpenedLink;
  beforeAll(async () => {
    link = await open(db.postgres.adminUrl(), { rttMs: RTT_MS });
  });
  afterAll(() => link.close());

  it('is as far away as asked, or farther on a busy machine, and says so', async () => {
    const { distance } = await link.verify();
    if (distance === undefined) throw new Error('nothing was measured');
    const { asked, direct, distant } = distance;
    expect(asked).toEqual({ rttMs: RTT_MS });
    expect(direct.trips).toBeGreaterThanOrEqual(40);
    expect(distant.trips).toBe(direct.trips);
    // What the proxy takes itself is allowed for, a quarter of a millisecond each way at most.
    expect(distant.p50Us).toBeGreaterThan(1000 * (RTT_MS - 0.5));
    expect(distant.p99Us).toBeGreaterThanOrEqual(distant.p50Us);
  });

  it('answers as it does directly: large results, COPY in and out, errors, a cancelled statement', async () => {
    await connected(link.url, async (client) => {
      const rows = await client.query(`SELECT i, repeat(md5(i::text), 100) AS text FROM generate_series(1, 3000) AS i`);
      expect(rows.rows).toHaveLength(3000);
      expect(rows.rows.at(-1).text).toHaveLength(3200);
      await client.query('CREATE TEMPORARY TABLE copied (line text)');
      const lines = Array.from({ length: 20_000 }, (_, line) => `${line} ${'x'.repeat(line % 300)}`);
      const text = `${lines.join('\n')}\n`;
      await pipeline(Readable.from([text]), client.query(from('COPY copied FROM STDIN')));
      const copy = client.query(to(`COPY (SELECT line FROM copied ORDER BY split_part(line, ' ', 1)::int) TO STDOUT`));
      expect(digest(await received(copy))).toBe(digest(Buffer.from(text)));
      await expect(client.query('SELECT 1/0')).rejects.toThrow('division by zero');
      const slept = expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('canceling statement');
      await cancel(link.url, client);
      await slept;
    });
  });
});

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** All that comes, without ending what may still be written to. */
async function received(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'end');
  return Buffer.concat(chunks);
}

/** By a CancelRequest, over a connection of its own, as a driver does it. */
async function cancel(url: string, client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as unknown as { readonly processID: number; readonly secretKey: number };
  // It would be lost on a session that has not begun with the statement.
  await expect
    .poll(() =>
      connected(
        db.postgres.adminUrl(),
        async (other) => (await other.query(`SELECT wait_event FROM pg_stat_activity WHERE pid = ${processID}`)).rows,
      ),
    )
    .toEqual([{ wait_event: 'PgSleep' }]);
  const request = Buffer.alloc(16);
  for (const [index, value] of [16, 80_877_102, processID, secretKey].entries()) request.writeInt32BE(value, 4 * index);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(request);
  socket.resume();
  await once(socket, 'close');
}

describe('any server at a distance', () => {
  let server: Server;
  let url: string;
  let onConnection: (socket: Socket) => void;
  beforeAll(async () => {
    server = createServer({ allowHalfOpen: true }, (socket) => onConnection(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `postgres://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/x`;
  });
  afterAll(() => server.close());

  const client = (link: OpenedLink): Socket =>
    connect({ port: Number(new URL(link.url).port), host: '127.0.0.1', allowHalfOpen: true });

  it('gets all bytes as they were sent, answers after the other end has closed its half, and no sooner than asked', async () => {
    const bytes = randomBytes(20 * 1024 * 1024);
    // It answers when all has come, with all of it.
    onConnection = async (socket) => {
      socket.end(await received(socket));
    };
    const link = await open(url, { rttMs: 20, jitterMs: 2, bandwidthMbit: 1000 });
    try {
      const startMs = performance.now();
      const socket = client(link);
      socket.end(bytes);
      const answer = await received(socket);
      expect(digest(answer)).toBe(digest(bytes));
      // The handshake, there and back, and twice 160 Mbit; nothing here was measured and allowed for.
      expect(performance.now() - startMs).toBeGreaterThan(20 + 18 + 2 * 160);
    } finally {
      await link.close();
    }
  });

  it('is not sent more than it takes: the sender waits', async () => {
    onConnection = (socket) => socket.pause();
    const link = await open(url, { rttMs: 1 });
    try {
      const socket = client(link);
      await once(socket, 'connect');
      // Until nothing more leaves for a while; what has left lies in the proxy and in buffers of the kernel.
      const chunk = Buffer.alloc(1024 * 1024);
      let sent = 0;
      while (sent < 64 && (socket.write(chunk) || (await drained(socket)))) sent++;
      expect(sent).toBeLessThan(64);
      socket.destroy();
    } finally {
      await link.close();
    }
  });

  it('that breaks off, or is not there, is broken off for the service too', async () => {
    onConnection = (socket) => {
      socket.on('data', () => socket.resetAndDestroy());
      socket.on('error', () => {});
    };
    const link = await open(url, { rttMs: 1 });
    const nobody = await open('postgres://127.0.0.1:1/x', { rttMs: 1 });
    try {
      for (const one of [link, nobody]) {
        const socket = client(one);
        socket.write('x');
        const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
        expect(error.code).toMatch(/^(ECONNRESET|EPIPE)$/);
      }
    } finally {
      await link.close();
      await nobody.close();
    }
  });

  it('tells that its proxy has ended, and leaves none behind', async () => {
    onConnection = (socket) => socket.resume();
    const link = await open(url, { rttMs: 1 });
    const socket = client(link);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const pid = link.pids[0] ?? 0;
    expect(isRunning({ pid, group: false })).toBe(true);
    await link.close();
    expect(isRunning({ pid, group: false })).toBe(false);
    const killed = await open(url, { rttMs: 1 });
    process.kill(killed.pids[0] ?? 0, 'SIGKILL');
    expect(await killed.exited).toBe('the proxy of the distance (SIGKILL)');
    await killed.close();
  });
});

/** Whether there is room again within half a second. */
function drained(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 500);
    socket.once('drain', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
