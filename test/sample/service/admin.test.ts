import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../scenarios/services/documents/service/errors.ts';
import { requireLoopback } from '../../../scenarios/services/documents/service/routes.ts';
import { school, type TestService, withServices } from './harness.ts';

const { start } = withServices();

const ofService = "application_name = 'pgsweep-service' AND datname = current_database()";

const sessions = async ({ db }: TestService): Promise<number[]> => {
  const { rows } = await db.query(`SELECT pid FROM pg_stat_activity WHERE ${ofService} ORDER BY pid`);
  return rows.map(({ pid }) => pid);
};

/** How many of its sessions wait for a lock. */
const waiting = async ({ db }: TestService): Promise<number> => {
  const { rows } = await db.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${ofService} AND wait_event_type = 'Lock'`,
  );
  return rows[0].n;
};

describe('the admin endpoint', () => {
  it('is off unless asked for', async () => {
    const { request } = await start();
    for (const method of ['GET', 'PUT']) {
      const answer = await request(method, '/admin/settings', method === 'PUT' ? { poolMax: 2 } : undefined);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'unknown_route' } } });
    }
  });

  it('is for clients of this machine alone', () => {
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) requireLoopback(address);
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '1127.0.0.1', undefined]) {
      expect(() => requireLoopback(address)).toThrow(ServiceError);
    }
  });

  it('tells the settings, and changes those that are named', async () => {
    const { request } = await start({ ADMIN: 'on', POOL_MAX: '7', LOCK_REFERENCES: 'none' });
    const locks = { lockByDocumentUuid: 'share-nowait', lockByDocumentId: 'share-nowait', lockReferences: 'none' };
    expect((await request('GET', '/admin/settings')).body).toMatchObject({ poolMax: 7, ...locks });
    const changed = await request('PUT', '/admin/settings', { poolMax: 3, lockByDocumentId: 'none' });
    expect(changed).toMatchObject({ status: 200, body: { poolMax: 3, ...locks, lockByDocumentId: 'none' } });
    expect((await request('GET', '/admin/settings')).body).toEqual(changed.body);
  });

  it.each([{ poolMax: 0 }, { poolMax: '5' }, { poolMax: 1001 }, { lockReferences: 'all' }, { pool: 5 }, [], 'no'])(
    'refuses %j, and changes nothing',
    async (body) => {
      const { request } = await start({ ADMIN: 'on' });
      const before = (await request('GET', '/admin/settings')).body;
      expect((await request('PUT', '/admin/settings', body)).status).toBe(400);
      expect((await request('GET', '/admin/settings')).body).toEqual(before);
    },
  );

  it('parks the clients that are too many, and gives them back with what they have prepared', async () => {
    const service = await start({ ADMIN: 'on', POOL_MAX: '8' });
    /** Of which this many are at work at once. */
    const many = async (from: number, atOnce: number): Promise<void> => {
      const end = await service.hold('LOCK TABLE documents IN ACCESS EXCLUSIVE MODE');
      const posts = Array.from({ length: 40 }, (_, id) => service.request('POST', '/ed-fi/schools', school(from + id)));
      await expect.poll(() => waiting(service)).toBe(atOnce);
      await end();
      await Promise.all(posts);
    };
    const resize = async (poolMax: number): Promise<unknown> =>
      (await service.request('PUT', '/admin/settings', { poolMax })).body;
    await many(1, 8);
    const pids = await sessions(service);
    expect(pids).toHaveLength(8);
    expect(await resize(2)).toMatchObject({ poolMax: 2, poolOpen: 2 });
    await many(101, 2);
    expect((await service.request('GET', '/admin/settings')).body).toMatchObject({ poolMax: 2, poolOpen: 2 });
    expect(await sessions(service)).toEqual(pids);
    expect(await resize(5)).toMatchObject({ poolMax: 5, poolOpen: 5 });
    expect(await resize(10)).toMatchObject({ poolMax: 10, poolOpen: 8 });
    await many(201, 10);
    expect(await sessions(service)).toEqual(expect.arrayContaining([...pids]));
    expect(await sessions(service)).toHaveLength(10);
  });

  it('lets no more requests work at once than the pool has clients, and shrinks no pool that is in use', async () => {
    const service = await start({ ADMIN: 'on', POOL_MAX: '3' });
    const post = (id: number): Promise<{ status: number }> => service.request('POST', '/ed-fi/schools', school(id));
    await Promise.all([1, 2, 3].map(post));
    await service.request('PUT', '/admin/settings', { poolMax: 2 });
    const end = await service.hold('LOCK TABLE documents IN ACCESS EXCLUSIVE MODE');
    const posts = [11, 12, 13].map(post);
    await expect.poll(() => waiting(service)).toBe(2);
    expect(await service.request('PUT', '/admin/settings', { poolMax: 1 })).toMatchObject({ status: 409 });
    expect(await waiting(service)).toBe(2);
    await end();
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  it('changes lock clauses on connections that have prepared the statements of others', async () => {
    const { request, hold } = await start({ ADMIN: 'on', POOL_MAX: '1', LOCK_RETRIES: '0' });
    const put = async (): Promise<number> => (await request('POST', '/ed-fi/schools', school(1))).status;
    expect(await put()).toBe(201);
    // A lock that FOR SHARE NOWAIT meets on the alias, and that a read without a lock does not.
    const end = await hold('SELECT FROM aliases FOR NO KEY UPDATE');
    expect(await put()).toBe(409);
    await end();
    await request('PUT', '/admin/settings', { lockByDocumentId: 'none' });
    expect(await put()).toBe(200);
    await request('PUT', '/admin/settings', { lockByDocumentId: 'share-nowait' });
    expect(await put()).toBe(200);
  });
});
