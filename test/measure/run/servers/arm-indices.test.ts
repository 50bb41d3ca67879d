import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCleanup } from '../../../../src/base/process/cleanup.ts';
import type { Reaper } from '../../../../src/base/process/reaper.ts';
import { sessionIndices } from '../../../../src/measure/run/servers/arm-indices.ts';

/** The indices of an OpenSearch, which deletes those whose names begin as it is told. */
const found = new Set<string>();
const node = createServer(({ method, url = '' }, answer) => {
  const pattern = decodeURIComponent(url.slice(1));
  const isPrefix = method === 'DELETE' && pattern.endsWith('*');
  for (const name of found) if (isPrefix && name.startsWith(pattern.slice(0, -1))) found.delete(name);
  answer.statusCode = isPrefix ? 200 : 400;
  answer.end('{}');
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
beforeEach(() => found.clear());
afterAll(() => node.close());

type Watched = Parameters<Reaper['watchCommand']>;

/** A session on a node, whose reaper only notes what it would run. */
function session(kind: string, at = url) {
  const watched = new Map<string, Watched>();
  const reaper = {
    watchCommand: (...given: Watched) => void watched.set(given[0], given),
    forgetCommand: (id: string) => void watched.delete(id),
  };
  const cleanup = createCleanup();
  return { indices: sessionIndices({ kind, url: at }, { reaper, cleanup }), cleanup, watched };
}

it("are named by the arm's database on a node of the bench, which is new in each session", async () => {
  const { indices, watched } = session('embedded');
  expect(indices.prefixOf('pgsweep_r1_a1')).toBe('pgsweep_r1_a1-');
  expect(watched.size).toBe(0);
});

it('have names of their own in each session on a node of the user, and all go at its end, those of arms that never got ready too', async () => {
  const [one, other] = [session('external'), session('external')];
  const names = [one, other].map(({ indices }) => indices.prefixOf('pgsweep_r1_a1'));
  expect(new Set(names).size).toBe(2);
  const [ofReady, ofUnready, ofOther] = [
    `${names[0]}school`,
    `${one.indices.prefixOf('pgsweep_r1_a10')}school`,
    `${names[1]}school`,
  ];
  for (const name of [ofReady, ofUnready, ofOther, 'school']) found.add(name);
  await one.indices.drop('pgsweep_r1_a1');
  expect([...found]).toEqual([ofUnready, ofOther, 'school']);
  expect(await one.cleanup.run()).toEqual([]);
  expect([...found]).toEqual([ofOther, 'school']);
  expect(one.watched.size).toBe(0);
});

it('of a session that was killed go by the command that its reaper was given, and no others', async () => {
  const [killed, other] = [session('external'), session('external')];
  for (const { indices } of [killed, other]) found.add(`${indices.prefixOf('pgsweep_r1_a0')}school`);
  found.add('pgsweep_r1_a0-school');
  const [, [program, ...args] = [''], { variables } = { variables: {} }] = [...killed.watched.values()][0] ?? [];
  await promisify(execFile)(program, args, { env: { ...process.env, ...variables } });
  expect([...found]).toEqual([`${other.indices.prefixOf('pgsweep_r1_a0')}school`, 'pgsweep_r1_a0-school']);
});

it('that cannot be deleted at the end are still known to the reaper', async () => {
  const { cleanup, watched } = session('external', 'http://127.0.0.1:1');
  expect(await cleanup.run()).toMatchObject([{ code: 'stack' }]);
  expect(watched.size).toBe(1);
});
