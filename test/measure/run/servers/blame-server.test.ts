import getPort from 'get-port';
import { expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { blameServer } from '../../../../src/measure/run/servers/blame-server.ts';

const ended = new PgsweepError('stack', 'Postgres ended (exit code 1)');
const lost = new PgsweepError('target', 'the service of "A" ended under load');

async function gone(): Promise<Parameters<typeof blameServer>[1]> {
  const url = `postgres://nobody@127.0.0.1:${await getPort({ host: '127.0.0.1' })}/postgres`;
  return [{ postgres: { adminUrl: () => url } as never }];
}

it('what failed by a crash of the server is told as that, even where the server takes a while to end', async () => {
  const failure = new AbortController();
  setTimeout(() => failure.abort(ended), 50);
  expect(await blameServer(lost, await gone(), failure.signal)).toBe(ended);
  expect(await blameServer(lost, [], failure.signal)).toBe(ended);
});

it('a server that no longer answers and has not ended is named, with what failed by it', async () => {
  const blamed = await blameServer(lost, await gone(), new AbortController().signal, 50);
  expect(blamed).toMatchObject({ code: 'stack', cause: lost });
  expect(blamed).toHaveProperty(
    'message',
    expect.stringMatching(/^Postgres does not answer any more \(.*\): the service of/),
  );
});

it('a connection that the server has closed is the environment, and no mistake inside the bench', async () => {
  const { signal } = new AbortController();
  const closed = new Error('Connection terminated unexpectedly');
  expect(await blameServer(closed, [], signal, 50)).toMatchObject({ code: 'stack', cause: closed });
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect(await blameServer(reset, [], signal, 50)).toMatchObject({ code: 'stack', cause: reset });
  const mistake = new TypeError('x is not a function');
  expect(await blameServer(mistake, [], signal)).toBe(mistake);
  expect(await blameServer(lost, [], signal)).toBe(lost);
});

it('Ctrl-C stays Ctrl-C', async () => {
  const failure = new AbortController();
  failure.abort(ended);
  const interrupted = new PgsweepError('interrupted', 'interrupted');
  expect(await blameServer(interrupted, await gone(), failure.signal)).toBe(interrupted);
});
