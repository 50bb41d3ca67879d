import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import getPort from 'get-port';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

vi.mock('get-port', async (original) => ({ default: vi.fn((await original<typeof import('get-port')>()).default) }));

/** Somebody who takes the port between the moment when it was free and the server's start, and never answers. */
let thief: Server;
let taken: number;
let reaper: Reaper;
beforeAll(async () => {
  reaper = startReaper();
  thief = createServer().listen(0, '127.0.0.1');
  await once(thief, 'listening');
  const address = thief.address();
  taken = typeof address === 'object' && address ? address.port : 0;
});
afterAll(async () => {
  thief.close();
  await reaper.close();
});

test('a free port that is lost to somebody else is replaced', async () => {
  vi.mocked(getPort).mockResolvedValueOnce(taken).mockResolvedValueOnce(taken);
  const server = await startEmbeddedPostgres({ reaper });
  expect(server.port).not.toBe(taken);
  await server.stop();
});

test('but not for ever', async () => {
  vi.mocked(getPort).mockResolvedValueOnce(taken).mockResolvedValueOnce(taken).mockResolvedValueOnce(taken);
  await expect(startEmbeddedPostgres({ reaper })).rejects.toThrow(`cannot listen on port ${taken}`);
});
