import { once } from 'node:events';
import { createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitUntilReady } from '../../../../src/measure/stack/common/start-postgres.ts';

const URL_OF_NONE = 'postgres://me:secret@127.0.0.1:1/postgres';
const runs = new Promise<never>(() => {});
const [soon, late] = [0, 3_600_000];

/** A server whose connections are taken by the system, and which says nothing. */
const silent = createServer();
let slowConnect: Error;
beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'me', connectionTimeoutMillis: 1 });
  slowConnect = await client.connect().then(
    () => new Error('it has answered'),
    (error: Error) => error,
  );
});
afterAll(() => void silent.close());

function refusal(code: string): Error {
  return Object.assign(new pg.DatabaseError(`refused by ${code}`, 0, 'error'), { code });
}

/** Fails by each of the errors, and then answers. */
function failsBy(...errors: readonly Error[]): () => Promise<unknown> {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
  };
}

it('a server is waited for while connections to it take their time, and while it says that it starts', async () => {
  const ask = failsBy(slowConnect, refusal('57P03'), new Error('Connection terminated unexpectedly'), slowConnect);
  const limits = { startingMs: late, refusalMs: soon };
  expect(await waitUntilReady(runs, URL_OF_NONE, { ask, limits })).toBeUndefined();
});

it('one that refuses for another reason is not', async () => {
  const limits = { startingMs: late, refusalMs: soon };
  for (const error of [refusal('28P01'), new Error('The server does not support SSL connections')]) {
    const why = await waitUntilReady(runs, URL_OF_NONE, { ask: failsBy(error), limits });
    expect(why).toBe(`did not answer within 0 s (${error.message})`);
  }
});

it('one that never answers is given up at the limit, whether it takes connections or not', async () => {
  const limits = { startingMs: 20, refusalMs: late };
  const why = await waitUntilReady(runs, URL_OF_NONE, { ask: () => runs, limits });
  expect(why).toBe('did not answer within 0.02 s (no answer to SELECT 1)');
  const refused = async (): Promise<never> => {
    throw slowConnect;
  };
  expect(await waitUntilReady(runs, URL_OF_NONE, { ask: refused, limits: { ...limits, startingMs: soon } })).toBe(
    `did not answer within 0 s (${slowConnect.message})`,
  );
});

it('one that has ended is not waited for', async () => {
  const exited = Promise.resolve({ code: 1, signal: null });
  expect(await waitUntilReady(exited, URL_OF_NONE, { ask: () => runs })).toBe('ended with exit code 1');
});
