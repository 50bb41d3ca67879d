import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { generateTemplate } from '../../../scenarios/services/documents/dataset/documents-of.ts';
import { loadDocuments, schemaStatements } from '../../../scenarios/services/documents/dataset/load.ts';
import { generatePartialGrandBend } from '../../../scenarios/services/documents/dataset/templates/partial-grand-bend/generate.ts';
import type { Document } from '../../../scenarios/services/documents/dataset/types.ts';
import { startReaper } from '../../../src/base/process/reaper.ts';
import { loadDataset } from '../../../src/measure/dataset/load-dataset.ts';
import { inconsistencies, send, withServices } from '../service/harness.ts';

const { start, createDatabase, cleanups } = withServices();

const generated = (documents: number) => [...generatePartialGrandBend({ documents, seed: 1 })];

/** Everything but the numbers and uuids that the two ways choose differently. */
async function contentOf(db: pg.Pool): Promise<Record<string, unknown[]>> {
  const queries = {
    documents: 'SELECT document_id, resource_name, identity, body, is_descriptor FROM documents ORDER BY 1',
    aliases: 'SELECT alias_id, document_id FROM aliases ORDER BY 1',
    references: 'SELECT parent_document_id, referenced_document_id FROM "references" ORDER BY 1, 2',
    indexes: "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    columns: `SELECT table_name, column_name, data_type, column_default FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  };
  const content: Record<string, unknown[]> = {};
  for (const [name, query] of Object.entries(queries)) content[name] = (await db.query(query)).rows;
  return content;
}

describe('a loaded data set', () => {
  it('is the same as one that was posted to the service', async () => {
    const documents = generated(300);
    const loaded = await createDatabase();
    await loadDocuments(loaded.url, documents);
    const service = await start();
    for (const { resource, body } of documents) {
      expect((await send(service.url, 'POST', `/ed-fi/${resource}`, body)).status).toBe(201);
    }
    const content = await contentOf(loaded.db);
    expect(content.documents).toHaveLength(300);
    expect(content).toEqual(await contentOf(service.db));
    expect(await inconsistencies(loaded.db)).toEqual([]);
  });

  it.each(['grand-bend', 'southridge'] as const)(
    'of a whole district (%s) can be read and posted again',
    async (template) => {
      const { url, db } = await createDatabase();
      const documents = [...generateTemplate({ template, documents: 3000, seed: 1 })];
      const summary = await loadDocuments(url, documents);
      expect(summary.documents).toBe(3000);
      expect(await inconsistencies(db)).toEqual([]);
      const service = await start({}, url);
      const first = new Map(documents.map((each) => [each.resource, each]));
      const changed = [...first.values()].filter(({ resource }) => !resource.endsWith('Descriptors'));
      expect(changed.length).toBeGreaterThan(30);
      for (const { resource, body } of changed) {
        const answer = await send(service.url, 'POST', `/ed-fi/${resource}`, body);
        expect([resource, answer.status]).toEqual([resource, 200]);
        expect((await send(service.url, 'GET', `/ed-fi/${resource}/${answer.body.id}`)).body).toMatchObject(body);
      }
    },
  );

  it('can be posted to the service, every kind of document of a district', async () => {
    const service = await start();
    for (const { resource, body } of generateTemplate({
      template: 'southridge',
      documents: 300,
      seed: 1,
    })) {
      const answer = await send(service.url, 'POST', `/ed-fi/${resource}`, body);
      expect([resource, answer.status]).toEqual([resource, 201]);
    }
    expect(await inconsistencies(service.db)).toEqual([]);
  });

  it('of no documents is the tables with all their indexes', async () => {
    const empty = await createDatabase();
    const reaper = startReaper();
    cleanups.push(() => reaper.close());
    const options = { reaper, onProgress: () => {}, signal: new AbortController().signal };
    const { record, examples } = await loadDataset({ kind: 'schema' }, empty.url, options);
    expect(record).toMatchObject({ documents: 0, fingerprint: null });
    expect(examples).toEqual([]);
    expect(await contentOf(empty.db)).toEqual(await contentOf((await start()).db));
  });

  it('can be updated by the service', async () => {
    const { url } = await createDatabase();
    const { examples } = await loadDocuments(url, generated(300));
    const school = examples.find(({ resource }) => resource === 'schools');
    const service = await start({}, url);
    const answer = await send(service.url, 'POST', '/ed-fi/schools', school?.body);
    expect(answer.status).toBe(200);
  });

  it('is summed up', async () => {
    const { url, db } = await createDatabase();
    const progress: number[] = [];
    const summary = await loadDocuments(url, generated(2000), ({ documents }) => progress.push(documents));
    expect(summary).toMatchObject({ documents: 2000, descriptors: 724 });
    expect(summary.byResource).toMatchObject({ schools: 36, sessions: 1 });
    expect(summary.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(summary.examples.filter(({ resource }) => resource === 'schools')).toHaveLength(36);
    expect(progress).toEqual([1000, 2000]);
    const { rows } = await db.query("SELECT reltuples FROM pg_class WHERE relname = 'documents'");
    expect(rows).toEqual([{ reltuples: 2000 }]);
  });

  it('keeps every character', async () => {
    const { url, db } = await createDatabase();
    const nameOfInstitution = 'a\tb\nc\r\\n \\. "quoted" 学校 \u2028 😀';
    await loadDocuments(url, [{ resource: 'schools', body: { schoolId: 1, nameOfInstitution } }]);
    const { rows } = await db.query("SELECT body->>'nameOfInstitution' AS name FROM documents");
    expect(rows).toEqual([{ name: nameOfInstitution }]);
  });
});

describe('a data set that is not loaded', () => {
  const school: Document = { resource: 'schools', body: { schoolId: 1 } };
  const agency: Document = { resource: 'localEducationAgencies', body: { localEducationAgencyId: 1 } };
  const child = { schoolId: 2, localEducationAgencyReference: { localEducationAgencyId: 9 } };
  const cases: [string, Document[], string][] = [
    ['has a natural key twice', [school, school], 'School {"schoolId": 1} is there 2 times'],
    ['has an organization id twice', [school, agency], 'share the id of their superclass: School {"schoolId": 1} and'],
    [
      'refers to nothing',
      [{ resource: 'schools', body: child }],
      'are not in the data set: School {"schoolId": 2} (1)',
    ],
    [
      'has an invalid document',
      [school, { resource: 'schools', body: {} }],
      'Document 2 (schools) is invalid: /schoolId',
    ],
    [
      'has a text that Postgres cannot keep',
      [{ resource: 'schools', body: { schoolId: 1, a: '\0' } }],
      'cannot be stored',
    ],
    ['is empty', [], 'has no documents'],
  ];
  it.each(cases)('%s: the error says what, and nothing stays behind', async (_, documents, message) => {
    const { url, db } = await createDatabase();
    await expect(loadDocuments(url, documents)).rejects.toMatchObject({
      name: 'DatasetError',
      message: expect.stringContaining(message),
    });
    const { rows } = await db.query("SELECT to_regclass('public.documents') AS found");
    expect(rows).toEqual([{ found: null }]);
  });

  it('would go into a database that is not empty', async () => {
    const { url } = await createDatabase();
    await loadDocuments(url, [school]);
    await expect(loadDocuments(url, [school])).rejects.toThrow('has a documents table already');
  });

  it('comes from a reader that fails', async () => {
    const { url } = await createDatabase();
    async function* failing(): AsyncGenerator<Document> {
      yield school;
      throw new Error('the reader broke');
    }
    await expect(loadDocuments(url, failing())).rejects.toThrow('the reader broke');
  });

  it('has no server', async () => {
    const load = loadDocuments('postgres://nobody@127.0.0.1:1/x', [school]);
    await expect(load).rejects.toMatchObject({
      hint: 'See the log of Postgres.',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe("the service's schema", () => {
  it('falls into tables and indexes', () => {
    const { tables, indexes } = schemaStatements();
    expect(tables.map((each) => each.slice(0, 12))).toEqual(['CREATE TABLE', 'CREATE TABLE', 'CREATE TABLE']);
    expect(indexes).toHaveLength(7);
  });
});
