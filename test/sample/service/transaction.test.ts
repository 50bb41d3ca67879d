import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { askServer, calendar, metric, school, untilWaiting, withServices } from './harness.ts';

const { start, createDatabase } = withServices();

describe('a write is one transaction on one client', () => {
  /** The transactions that the server counted for the service's writes, and for starting and ending it. */
  async function transactions(rounds: number): Promise<{ commits: number; rollbacks: number }> {
    const service = await start({ POOL_MAX: '1' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const write = async (n: number) => {
      const created = await service.request('POST', '/ed-fi/calendars', calendar(`C${n}`, 1));
      const path = `/ed-fi/calendars/${created.body.id}`;
      const statuses = [created.status];
      statuses.push((await service.request('PUT', path, calendar(`C${n}`, 1))).status);
      statuses.push((await service.request('POST', '/ed-fi/calendars', calendar(`C${n}`, 2))).status);
      statuses.push((await service.request('DELETE', path)).status);
      expect(statuses).toEqual([201, 204, 409, 204]);
    };
    await Promise.all(Array.from({ length: rounds }, (_, n) => write(n)));
    await service.stop();
    await service.db.end();
    // A backend reports what it has counted when it ends.
    const name = [new URL(service.databaseUrl).pathname.slice(1)];
    const ask = (sql: string) => askServer(service.databaseUrl, sql, name);
    while ((await ask('SELECT FROM pg_stat_activity WHERE datname = $1')).rowCount !== 0) await sleep(10);
    const { rows } = await ask(
      'SELECT xact_commit::int AS commits, xact_rollback::int AS rollbacks FROM pg_stat_database WHERE datname = $1',
    );
    return rows[0];
  }

  it('commits once a write and rolls back once a refusal, with a pool of one', async () => {
    const few = await transactions(2);
    const many = await transactions(12);
    expect(many.commits - few.commits).toBe(3 * 10);
    expect(many.rollbacks - few.rollbacks).toBe(10);
  });

  it('holds the client, and all locks, until the end', async () => {
    const service = await start({ POOL_MAX: '1' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold('SELECT FROM documents FOR UPDATE');
    const first = service.request('POST', '/ed-fi/schools', school(1));
    await untilWaiting(service.db);
    const second = service.request('GET', '/ed-fi/schools');
    const sinceMs = performance.now();
    await expect.poll(() => metric(service, 'pg_pool_waiting')).toBe(1);
    await sleep(30);
    expect(await metric(service, 'pg_pool_idle')).toBe(0);
    expect(await metric(service, 'pg_pool_in_use')).toBe(1);
    expect(await metric(service, 'http_requests_in_flight')).toBe(2);
    const heldMs = performance.now() - sinceMs;
    await release();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    await expect.poll(() => metric(service, 'http_requests_in_flight')).toBe(0);
    expect(await metric(service, 'pg_pool_held_seconds_sum')).toBeGreaterThan(heldMs / 1000);
  });

  it('no longer counts as in flight when its client has gone, though it goes on', async () => {
    const service = await start();
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold('SELECT FROM documents FOR UPDATE');
    const headers = { 'content-type': 'application/json' };
    const request = httpRequest(`${service.url}/ed-fi/schools`, { method: 'POST', headers, agent: false });
    request.on('error', () => {});
    request.end(JSON.stringify(school(1)));
    await untilWaiting(service.db);
    expect(await metric(service, 'http_requests_in_flight')).toBe(1);
    request.destroy();
    await vi.waitUntil(async () => (await metric(service, 'http_requests_in_flight')) === 0, { timeout: 120_000 });
    await release();
  });
});

describe('the schema', () => {
  it('is created once by services that start together, and left alone later', async () => {
    const { url, db } = await createDatabase();
    const services = await Promise.all([start({}, url), start({}, url), start({}, url)]);
    const names = async () =>
      (await db.query("SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")).rows.map(
        (row) => row.indexname,
      );
    expect(await names()).toEqual([
      'aliases_pkey',
      'documents_pkey',
      'ix_aliases_alias_id',
      'ix_aliases_document_id',
      'ix_aliases_document_uuid',
      'ix_references_checking',
      'ix_references_deleting',
      'references_pkey',
      'ux_documents_document_id',
      'ux_documents_document_uuid',
    ]);
    await Promise.all(services.map((service) => service.stop()));
    await db.query('DROP INDEX ix_references_checking');
    const again = await start({}, url);
    expect((await again.request('POST', '/ed-fi/schools', school(1))).status).toBe(201);
    expect(await names()).not.toContain('ix_references_checking');
  });
});
