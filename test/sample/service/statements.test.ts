import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchStatements } from '../../../src/measure/link/watch/watch-statements.ts';
import { askServer, calendar, inconsistencies, school, type TestService, withServices } from './harness.ts';

const { start, createDatabase } = withServices({ preload: ['pg_stat_statements'] });
afterEach(() => {
  vi.restoreAllMocks();
});

/** A new document, the same changed twice, one with references, what is refused, and a delete. */
async function writes({ request }: TestService): Promise<unknown[]> {
  const seen: unknown[] = [];
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await request(method, path, body);
    // Ids are random.
    const text = JSON.stringify(answer.body).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID');
    seen.push([method, answer.status, text]);
    return answer.body?.id;
  };
  await send('POST', '/ed-fi/schools', school(1));
  await send('POST', '/ed-fi/schools', school(1, { webSite: 'https://school.example' }));
  const id = await send('POST', '/ed-fi/calendars', calendar('C', 1));
  await send('PUT', `/ed-fi/calendars/${id}`, calendar('C', 1));
  await send('POST', '/ed-fi/calendars', calendar('D', 2));
  await send('POST', '/ed-fi/localEducationAgencies', { localEducationAgencyId: 1 });
  await send('DELETE', `/ed-fi/calendars/${id}`);
  return seen;
}

interface Calls {
  readonly statements: readonly { readonly query: string; readonly calls: number; readonly rows: number }[];
  readonly answers: readonly unknown[];
  /** The most statements of a client that waited for their answers at any time. */
  readonly mostUnderWay: number;
}

async function callsOf(env: Record<string, string>): Promise<Calls> {
  const service = await start({ POOL_MAX: '1', ...env });
  const underWay = new Map<unknown, number>();
  let mostUnderWay = 0;
  const query = pg.Client.prototype.query as (this: unknown, ...given: unknown[]) => unknown;
  const spied = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: unknown,
    ...given: unknown[]
  ) {
    const now = (underWay.get(this) ?? 0) + 1;
    underWay.set(this, now);
    mostUnderWay = Math.max(mostUnderWay, now);
    const answer = query.apply(this, given);
    const done = (): void => void underWay.set(this, (underWay.get(this) ?? 1) - 1);
    Promise.resolve(answer).then(done, done);
    return answer as never;
  });
  await askServer(service.databaseUrl, 'SELECT pg_stat_statements_reset()');
  const answers = await writes(service);
  spied.mockRestore();
  expect(await inconsistencies(service.db)).toEqual([]);
  const { rows } = await askServer(
    service.databaseUrl,
    `SELECT query, calls::int, rows::int FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = $1 AND query !~ 'problem' ORDER BY query`,
    [new URL(service.databaseUrl).pathname.slice(1)],
  );
  return { statements: rows, answers, mostUnderWay };
}

describe('STATEMENTS', () => {
  it('awaited sends each statement when the last is answered, the same ones with the same results', async () => {
    const pipelined = await callsOf({});
    const awaited = await callsOf({ STATEMENTS: 'awaited' });
    expect(awaited.answers).toEqual(pipelined.answers);
    expect(awaited.answers.map((answer) => (answer as unknown[])[1])).toEqual([201, 200, 201, 204, 409, 409, 204]);
    expect(awaited.statements).toEqual(pipelined.statements);
    const calls = new Map(awaited.statements.map(({ query, calls }) => [query.replace(/\s.*/s, ''), calls]));
    expect(calls.get('COMMIT')).toBe(5);
    expect(calls.get('BEGIN')).toBe(7);
    expect(calls.get('ROLLBACK')).toBe(2);
    expect({ pipelined: pipelined.mostUnderWay > 2, awaited: awaited.mostUnderWay }).toEqual({
      pipelined: true,
      awaited: 1,
    });
  });

  it('awaited gives way to another writer as pipelined does, and undoes what it had done', async () => {
    const service = await start({ STATEMENTS: 'awaited', LOCK_RETRIES: '0' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold('SELECT FROM aliases FOR UPDATE');
    expect(await service.request('POST', '/ed-fi/schools', school(1))).toMatchObject({
      status: 409,
      body: { error: { code: 'write_conflict', reason: 'lock_not_available' } },
    });
    await release();
    expect((await service.request('POST', '/ed-fi/schools', school(1))).status).toBe(200);
    expect(await inconsistencies(service.db)).toEqual([]);
  });
});

describe('statements without names', () => {
  it('are the same, with the same answers, and none is prepared under a name', async () => {
    const named = await seenOf('on');
    const unnamed = await seenOf('off');
    expect(unnamed.answers).toEqual(named.answers);
    expect([...unnamed.statements].sort()).toEqual([...named.statements].sort());
    expect(named.named.length).toBeGreaterThan(5);
    expect(unnamed.named).toEqual([]);
  });

  async function seenOf(PREPARED: string) {
    const { url } = await createDatabase();
    const watched = await watchStatements(url);
    const service = await start({ PREPARED }, watched.url);
    const answers = await writes(service);
    await service.stop();
    await watched.close();
    return { answers, ...watched.seen() };
  }
});
