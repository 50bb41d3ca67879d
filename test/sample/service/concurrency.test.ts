import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { calendar, inconsistencies, school, type TestService, withServices } from './harness.ts';

const { start } = withServices();

/** Every version of a document that was committed, in order. */
async function recordVersions(db: pg.Pool): Promise<void> {
  await db.query(`
    CREATE TABLE versions (id bigserial, token text);
    CREATE FUNCTION record_version() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO versions (token) VALUES (NEW.body->>'token'); RETURN NEW; END $$;
    CREATE TRIGGER record_version AFTER INSERT OR UPDATE ON documents
      FOR EACH ROW EXECUTE FUNCTION record_version();`);
}

const modes = { LOCK_BY_DOCUMENT_ID: 'none', LOCK_BY_DOCUMENT_UUID: 'none', LOCK_REFERENCES: 'none' };
const every = (mode: string) => ({ LOCK_BY_DOCUMENT_ID: mode, LOCK_BY_DOCUMENT_UUID: mode, LOCK_REFERENCES: mode });

interface Acknowledged {
  tokens: string[];
  statuses: Map<number, number>;
}

/** 20 writers, each with its own sequence of posts and puts over the same 5 documents. */
async function stress(service: TestService, writesEach: number): Promise<Acknowledged> {
  const uuids: string[] = [];
  for (let id = 1; id <= 5; id++) {
    uuids.push((await service.request('POST', '/ed-fi/schools', school(id, { token: `start ${id}` }))).body.id);
  }
  const result: Acknowledged = { tokens: [], statuses: new Map() };
  const writer = async (w: number) => {
    // On a machine that stands still now and then, many are refused.
    for (let n = 0; n < writesEach || result.tokens.length <= 20; n++) {
      const id = ((w + n) % 5) + 1;
      const token = `${w}/${n}`;
      // Each refers to the next, so that the aliases which one write deletes are those that others lock.
      const body = school(id, { token, schoolReference: { schoolId: ((id + n) % 5) + 1 } });
      const answer =
        n % 2 === 0
          ? await service.request('POST', '/ed-fi/schools', body)
          : await service.request('PUT', `/ed-fi/schools/${uuids[id - 1]}`, body);
      result.statuses.set(answer.status, (result.statuses.get(answer.status) ?? 0) + 1);
      if (answer.status < 300) result.tokens.push(token);
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, w) => writer(w)));
  return result;
}

describe.each([
  ['share-nowait', every('share-nowait')],
  ['share', every('share')],
  ['key-share-nowait', every('key-share-nowait')],
  ['key-share', every('key-share')],
  ['no locks', modes],
  ['serializable', { ISOLATION: 'serializable' }],
  ['serializable, no locks', { ISOLATION: 'serializable', ...modes }],
])('20 writers on 5 documents with %s', (_name, env) => {
  it('lose no acknowledged write, keep no other, and never wait for the deadlock timeout', async () => {
    const service = await start({ ...env, LOCK_RETRIES: '8' });
    await recordVersions(service.db);
    const { tokens, statuses } = await stress(service, 15);
    const { rows: versions } = await service.db.query("SELECT token FROM versions WHERE token LIKE '%/%' ORDER BY id");
    expect(versions.map((row) => row.token).sort()).toEqual([...tokens].sort());
    expect([...statuses.keys()].every((status) => [200, 204, 409].includes(status))).toBe(true);

    expect(await inconsistencies(service.db)).toEqual([]);
    const { rows: stored } = await service.db.query(`
      SELECT d.body->>'token' AS token, count(r.id)::int AS references,
             (SELECT document_id FROM documents o WHERE o.body->'schoolId' = d.body #> '{schoolReference,schoolId}')
               = min(r.referenced_document_id) AS right
      FROM documents d LEFT JOIN "references" r ON r.parent_document_id = d.document_id GROUP BY d.id`);
    expect(stored.length).toBe(5);
    for (const row of stored) {
      if (tokens.includes(row.token)) expect(row).toMatchObject({ references: 1, right: true });
      else expect(row).toMatchObject({ token: expect.stringContaining('start'), references: 0 });
    }
    // A session reports at the latest when it ends. One that waits for the timeout does so in a deadlock, which is then seen.
    await service.stop();
    await expect.poll(() => sessions(service.db)).toBe(0);
    const { rows: seen } = await service.db.query(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(seen).toEqual([{ deadlocks: 0 }]);
  });
});

const sessions = async (db: pg.Pool): Promise<number> => {
  const { rows } = await db.query(
    "SELECT FROM pg_stat_activity WHERE application_name = 'pgsweep-service' AND datname = current_database()",
  );
  return rows.length;
};

async function waitsForALock(db: pg.Pool): Promise<void> {
  await expect
    .poll(async () => (await db.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount)
    .toBe(1);
}

/** On a busy machine another writer may hold its lock for as long as it likes: who gives up is not what races are about. */
const mostRetries = '100';

describe('races', () => {
  it.each(['share-nowait', 'share', 'key-share-nowait', 'key-share'])(
    'a delete against an insert that refers to it, with %s',
    async (mode) => {
      const service = await start({ ...every(mode), LOCK_RETRIES: mostRetries });
      const outcomes = new Map<string, number>();
      for (let id = 1; id <= 60; id++) {
        const { body } = await service.request('POST', '/ed-fi/schools', school(id));
        const remove = () => service.request('DELETE', `/ed-fi/schools/${body.id}`);
        const insert = () => service.request('POST', '/ed-fi/calendars', calendar('A', id));
        const answers =
          id % 2 === 0 ? await Promise.all([insert(), remove()]) : (await Promise.all([remove(), insert()])).reverse();
        const outcome = answers.map((answer) => answer.status).join(' ');
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      expect([...outcomes.keys()].filter((outcome) => outcome !== '201 409' && outcome !== '409 204')).toEqual([]);
      expect(await inconsistencies(service.db)).toEqual([]);
    },
  );

  it('a delete against an update of the same document', async () => {
    for (const env of [every('share-nowait'), every('share'), modes]) {
      const service = await start({ ...env, LOCK_RETRIES: mostRetries });
      for (let id = 1; id <= 30; id++) {
        const { body } = await service.request('POST', '/ed-fi/schools', school(id));
        const path = `/ed-fi/schools/${body.id}`;
        const [removed, posted, put] = await Promise.all([
          service.request('DELETE', path),
          service.request('POST', '/ed-fi/schools', school(id, { webSite: 'posted' })),
          service.request('PUT', path, school(id, { webSite: 'put' })),
        ]);
        expect(removed.status).toBe(204);
        expect([200, 201]).toContain(posted.status);
        expect([204, 404]).toContain(put.status);
      }
      expect(await inconsistencies(service.db)).toEqual([]);
      await service.stop();
    }
  });

  it('an update without locks whose document was deleted and posted anew meanwhile finds no document', async () => {
    // The update waits for the document that it refers to, once it has found its own.
    const service = await start({ ...modes, LOCK_REFERENCES: 'share', LOCK_RETRIES: mostRetries });
    await service.request('POST', '/ed-fi/schools', school(1));
    const first = await service.request('POST', '/ed-fi/schools', school(2));
    const release = await service.hold(`SELECT 1 FROM aliases a JOIN documents d USING (document_id)
      WHERE d.identity->>'schoolId' = '1' FOR UPDATE OF a`);
    const update = service.request(
      'PUT',
      `/ed-fi/schools/${first.body.id}`,
      school(2, { schoolReference: { schoolId: 1 } }),
    );
    await waitsForALock(service.db);
    expect((await service.request('DELETE', `/ed-fi/schools/${first.body.id}`)).status).toBe(204);
    const second = await service.request('POST', '/ed-fi/schools', school(2));
    expect(second.status).toBe(201);
    await release();
    expect((await update).status).toBe(404);
    expect((await service.request('GET', `/ed-fi/schools/${second.body.id}`)).status).toBe(200);
    expect(await inconsistencies(service.db)).toEqual([]);
  });

  it('two subclasses for one identity: one of them gets it', async () => {
    const service = await start({ LOCK_RETRIES: mostRetries });
    for (let id = 1; id <= 30; id++) {
      const answers = await Promise.all([
        service.request('POST', '/ed-fi/schools', school(id)),
        service.request('POST', '/ed-fi/localEducationAgencies', { localEducationAgencyId: id }),
      ]);
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
      expect(answers.find((answer) => answer.status === 409)?.body.error.code).toBe('identity_claimed');
    }
    expect(await inconsistencies(service.db)).toEqual([]);
  });

  it('many first posts of one document: one 201', async () => {
    const service = await start({ LOCK_RETRIES: mostRetries });
    for (let id = 1; id <= 5; id++) {
      const posts = Array.from({ length: 8 }, () => service.request('POST', '/ed-fi/schools', school(id)));
      const answers = await Promise.all(posts);
      expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(7).fill(200), 201]);
      expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    }
    expect(await inconsistencies(service.db)).toEqual([]);
  });
});
