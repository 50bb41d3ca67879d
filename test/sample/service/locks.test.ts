import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { lockModes } from '../../../scenarios/services/documents/service/lock-mode.ts';
import {
  calendar,
  deadlockTimeoutMs,
  inconsistencies,
  metric,
  school,
  send,
  untilWaiting,
  withServices,
} from './harness.ts';

const { start } = withServices();

/** The strongest lock that a running transaction has on a school's alias, told by what cannot be taken beside it. */
async function lockOnSchool(db: pg.Pool): Promise<'none' | 'key-share' | 'share'> {
  const canTake = async (strength: string) => {
    try {
      await db.query(`SELECT FROM aliases WHERE document_id = (${schoolDocument}) FOR ${strength} NOWAIT`);
      return true;
    } catch {
      return false;
    }
  };
  if (await canTake('UPDATE')) return 'none';
  return (await canTake('NO KEY UPDATE')) ? 'key-share' : 'share';
}

const schoolDocument = `SELECT document_id FROM documents WHERE resource_name = 'School'`;
const schoolAliases = `SELECT FROM aliases WHERE document_id = (${schoolDocument})`;

describe.each(lockModes)('lock mode %s', (mode) => {
  const strength = mode.replace('-nowait', '');

  it('is held until the commit by LOCK_BY_DOCUMENT_ID, LOCK_BY_DOCUMENT_UUID and LOCK_REFERENCES', async () => {
    for (const variable of ['LOCK_BY_DOCUMENT_ID', 'LOCK_BY_DOCUMENT_UUID', 'LOCK_REFERENCES']) {
      const others = { LOCK_BY_DOCUMENT_ID: 'none', LOCK_BY_DOCUMENT_UUID: 'none', LOCK_REFERENCES: 'none' };
      const service = await start({ ...others, [variable]: mode });
      const { body } = await service.request('POST', '/ed-fi/schools', school(1));
      await service.request('POST', '/ed-fi/calendars', calendar('A', 1));
      const release = await service.hold('SELECT FROM documents FOR UPDATE');
      const request = {
        LOCK_BY_DOCUMENT_ID: () => service.request('POST', '/ed-fi/schools', school(1)),
        LOCK_BY_DOCUMENT_UUID: () => service.request('PUT', `/ed-fi/schools/${body.id}`, school(1)),
        LOCK_REFERENCES: () => service.request('POST', '/ed-fi/calendars', calendar('A', 1)),
      }[variable];
      const answer = request?.();
      await untilWaiting(service.db);
      expect(await lockOnSchool(service.db), variable).toBe(strength);
      await release();
      expect((await answer)?.status, variable).toBe(variable === 'LOCK_BY_DOCUMENT_UUID' ? 204 : 200);
      await service.stop();
    }
  });

  it('waits or gives way when the referenced document is being written', async () => {
    const service = await start({ LOCK_REFERENCES: mode, LOCK_RETRIES: '0' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold(`${schoolAliases} FOR UPDATE`);
    const answer = service.request('POST', '/ed-fi/calendars', calendar('A', 1));
    if (mode === 'share' || mode === 'key-share') {
      await untilWaiting(service.db);
      await release();
    }
    const expected = mode.endsWith('nowait') ? 409 : 201;
    expect((await answer).status).toBe(expected);
    if (expected === 409) expect((await answer).body.error.code).toBe('write_conflict');
  });
});

describe('a conflict', () => {
  it('is retried LOCK_RETRIES times, then answered with 409', async () => {
    const service = await start({ LOCK_RETRIES: '3' });
    const { body } = await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold(`${schoolAliases} FOR UPDATE`);
    const path = `/ed-fi/schools/${body.id}`;
    for (const answer of [
      await service.request('POST', '/ed-fi/schools', school(1)),
      await service.request('PUT', path, school(1)),
      await service.request('DELETE', path),
    ]) {
      expect(answer).toMatchObject({
        status: 409,
        body: { error: { code: 'write_conflict', reason: 'lock_not_available', retries: 3 } },
      });
    }
    expect(await metric(service, 'lock_conflicts_total{reason="lock_not_available"}')).toBe(3 * 4);
    expect(await metric(service, 'lock_retries_total')).toBe(3 * 3);
    await release();
    expect((await service.request('POST', '/ed-fi/schools', school(1))).status).toBe(200);
  });

  it('ends well when the other writer is done before the last retry, and leaves the client to others meanwhile', async () => {
    const service = await start({ LOCK_RETRIES: '100', POOL_MAX: '1' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold(`${schoolAliases} FOR UPDATE`);
    const blocked = service.request('POST', '/ed-fi/schools', school(1));
    await expect.poll(() => metric(service, 'lock_retries_total')).toBeGreaterThan(0);
    expect((await service.request('POST', '/ed-fi/schools', school(2))).status).toBe(201);
    await release();
    expect((await blocked).status).toBe(200);
  });

  it('between two holders of FOR SHARE does not wait for the deadlock timeout', async () => {
    const service = await start({ LOCK_RETRIES: '0' });
    await service.request('POST', '/ed-fi/schools', school(1));
    await service.hold(`${schoolAliases} FOR SHARE`);
    const startMs = performance.now();
    const answer = await service.request('POST', '/ed-fi/schools', school(1));
    expect(answer).toMatchObject({ status: 409, body: { error: { reason: 'lock_not_available' } } });
    expect(performance.now() - startMs).toBeLessThan(deadlockTimeoutMs);
  });
});

describe('a row that is rewritten while a write waits for its lock', () => {
  const rewrite = [
    'CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM aliases',
    'DELETE FROM aliases',
    'INSERT INTO aliases SELECT nextval(pg_get_serial_sequence($$aliases$$, $$id$$)), alias_id, document_id, document_uuid FROM kept',
  ];
  const env = { LOCK_REFERENCES: 'share', LOCK_BY_DOCUMENT_UUID: 'share', LOCK_BY_DOCUMENT_ID: 'share' };

  it('still counts as an existing reference, without a retry', async () => {
    const service = await start({ ...env, LOCK_RETRIES: '0' });
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold(...rewrite);
    const answer = service.request('POST', '/ed-fi/calendars', calendar('A', 1));
    await untilWaiting(service.db);
    await release('COMMIT');
    expect((await answer).status).toBe(201);
  });

  it('still counts as an existing document', async () => {
    const service = await start(env);
    const { body } = await service.request('POST', '/ed-fi/schools', school(1));
    for (const [method, path, sent, status] of [
      ['POST', '/ed-fi/schools', school(1), 200],
      ['PUT', `/ed-fi/schools/${body.id}`, school(1), 204],
      ['DELETE', `/ed-fi/schools/${body.id}`, undefined, 204],
    ] as const) {
      const release = await service.hold(...rewrite);
      const answer = send(service.url, method, path, sent);
      await untilWaiting(service.db);
      await release('COMMIT');
      expect((await answer).status, method).toBe(status);
      expect(await inconsistencies(service.db)).toEqual([]);
    }
  });

  it('does not count when it is gone', async () => {
    const service = await start(env);
    await service.request('POST', '/ed-fi/schools', school(1));
    const release = await service.hold('DELETE FROM aliases', 'DELETE FROM documents');
    const answer = service.request('POST', '/ed-fi/calendars', calendar('A', 1));
    await untilWaiting(service.db);
    await release('COMMIT');
    expect(await answer).toMatchObject({ status: 409, body: { error: { code: 'unresolved_references' } } });
  });
});
