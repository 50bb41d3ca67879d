import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { BulkSpec, WorkloadSpec } from '../../../src/journal/scenario-record.ts';
import { startLoadGenerator } from '../../../src/measure/load/generator-process.ts';
import type { BulkJob, BulkOptions, BulkResult, LoadGenerator } from '../../../src/measure/load/load-generator.ts';
import { checkBulk } from '../../../src/measure/run/bulk/check-bulk.ts';
import { startTarget } from '../../../src/measure/target/start-target.ts';
import { inconsistencies, metric, withServices } from '../service/harness.ts';

const DOCUMENTS = 1200;
const { start, createDatabase } = withServices();
let folder: string;
let reaper: Reaper;
let generator: LoadGenerator;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-bulk-'));
  reaper = startReaper();
});
afterEach(() => generator?.stop());
afterAll(async () => {
  await reaper.close();
  rmSync(folder, { recursive: true });
});

const workload: WorkloadSpec = { kind: 'built-in', workload: 'get-schools' };

async function jobFor(url: string, spec: Partial<BulkSpec> = {}): Promise<BulkJob> {
  generator = await startLoadGenerator({ workload, documents: [] }, reaper);
  return {
    url,
    seed: 1,
    timeoutMs: 10_000,
    failuresFile: join(folder, `${new URL(url).port}.jsonl`),
    labels: { round: 1 },
    spec: {
      dataset: { kind: 'template', template: 'partial-grand-bend', documents: DOCUMENTS, seed: 1 },
      connections: 25,
      inFlight: 25,
      retries: 5,
      backoffMs: 50,
      update: false,
      ...spec,
    },
  };
}

async function bulkLoad(job: BulkJob, options: BulkOptions = {}): Promise<BulkResult> {
  const stream = await generator.openBulk(job);
  await stream.turn(Number.POSITIVE_INFINITY, options);
  return stream.close();
}

const failuresOf = ({ failuresFile }: BulkJob) =>
  readFileSync(failuresFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const nothing = { missing: 0, unexpected: 0, doubled: 0, dangling: 0 };

describe('a bulk load into the document service', () => {
  it('loses and doubles nothing, and later load draws on what it loaded', async () => {
    const { url, db, databaseUrl } = await start({ POOL_MAX: '10' });
    const job = await jobFor(url);
    const { bulk, outcomes } = await bulkLoad(job);
    expect(bulk).toMatchObject({ documents: DOCUMENTS, loaded: DOCUMENTS, repeats: 0, failed: {} });
    expect(outcomes.statuses).toEqual({ '201': DOCUMENTS });
    expect(await inconsistencies(db)).toEqual([]);
    expect(await checkBulk(job.spec, databaseUrl, bulk)).toEqual(nothing);
    expect(failuresOf(job)).toEqual([]);

    const stream = await generator.open({ url, load: { connections: 2 }, seed: 1, timeoutMs: 1000 });
    const { whole } = await stream.turn({ durationMs: 300, fromMs: 0, toMs: 300 });
    await stream.close();
    expect(Object.keys(whole.statuses)).toEqual(['200']);
  });

  it('gets through locks that others hold for a while, by its repeats', async () => {
    const service = await start({ LOCK_RETRIES: '0' });
    const { url, db, databaseUrl, hold } = service;
    const job = await jobFor(url, { retries: 8 });
    await bulkLoad(job);
    const release = await hold('SELECT FROM aliases FOR UPDATE');
    const loading = bulkLoad(job);
    const conflicts = 'lock_conflicts_total{reason="lock_not_available"}';
    while (!((await metric(service, conflicts)) > 20)) await sleep(20);
    await release();
    const { bulk, outcomes } = await loading;
    expect(bulk).toMatchObject({ loaded: DOCUMENTS, failed: {} });
    expect(bulk.repeats).toBeGreaterThan(0);
    expect(outcomes.statuses).toEqual({ '200': DOCUMENTS, '409': bulk.repeats });
    expect(await checkBulk(job.spec, databaseUrl, bulk)).toEqual(nothing);
    expect(await inconsistencies(db)).toEqual([]);
  });

  it('records what never got through, and the check tells what is there from what is not', async () => {
    const { url, db, databaseUrl } = await start({ LOCK_RETRIES: '0' });
    const job = await jobFor(url, { retries: 1, backoffMs: 1 });
    await db.query(`ALTER TABLE documents ADD CHECK (resource_name <> 'School')`);
    const { bulk } = await bulkLoad(job);
    const schools = bulk.byResource.schools?.documents ?? 0;
    expect(bulk.byResource.schools).toEqual({ documents: schools, loaded: 0 });
    // What refers to a school is refused for that, and what refers to that in turn.
    expect(bulk.failed['500']).toBe(schools);
    expect(bulk.failed['409']).toBeGreaterThan(0);
    const failures = failuresOf(job);
    expect(failures).toHaveLength(schools + (bulk.failed['409'] ?? 0));
    expect(failures.find(({ resource }) => resource === 'schools')).toMatchObject({
      round: 1,
      status: 500,
      attempts: 2,
      identity: { schoolId: expect.any(Number) },
      message: expect.stringContaining('internal_error'),
    });
    expect(failures.find(({ status }) => status === 409)?.message).toContain('unresolved_references');
    expect(await checkBulk(job.spec, databaseUrl, bulk)).toEqual(nothing);

    await db.query(`DELETE FROM documents WHERE resource_name = 'LearningStandard'`);
    await db.query(`INSERT INTO documents (document_id, document_uuid, resource_name, identity, body, is_descriptor)
                    VALUES ('x', gen_random_uuid(), 'Course', '{}', '{}', false)`);
    await db.query(`DROP INDEX ux_documents_document_id; DROP INDEX ux_documents_document_uuid`);
    await db.query(`INSERT INTO documents (document_id, document_uuid, resource_name, identity, body, is_descriptor)
                    SELECT document_id, document_uuid, resource_name, identity, body, is_descriptor
                    FROM documents WHERE is_descriptor LIMIT 2`);
    await db.query(`INSERT INTO "references" (parent_document_id, referenced_document_id) VALUES ('x', 'nobody')`);
    expect(await checkBulk(job.spec, databaseUrl, bulk)).toEqual({
      missing: bulk.byResource.learningStandards?.loaded,
      unexpected: 1,
      doubled: 2,
      dangling: 1,
    });
  });

  it('updates all of it where asked, and the database holds each document once', async () => {
    const { url, databaseUrl } = await start();
    const job = await jobFor(url, { update: true });
    const { bulk, outcomes } = await bulkLoad(job);
    expect(outcomes.statuses['200']).toBe(DOCUMENTS);
    expect(outcomes.statuses['201']).toBeUndefined();
    expect(await checkBulk(job.spec, databaseUrl, bulk)).toEqual(nothing);
  });

  it('says so when the service is killed in the middle, and what was accepted is there', async () => {
    const { url: databaseUrl, db } = await createDatabase();
    const target = await startTarget({
      target: { kind: 'service', service: 'documents', env: {} },
      variant: { name: 'Control', factors: {}, env: {} },
      search: null,
      databaseUrl,
      reaper,
      logFile: join(folder, 'service.log'),
    });
    const job = await jobFor(target.url, { backoffMs: 5 });
    let told = 0;
    const loading = bulkLoad(job, {
      onProgress: ({ documents }) => {
        if (documents === 0 || told > 0) return;
        told = documents;
        process.kill(target.pid ?? 0, 'SIGKILL');
      },
    });
    await expect(loading).rejects.toMatchObject({ code: 'load', message: expect.stringContaining('100 requests') });
    expect(new Set(failuresOf(job).map(({ status }) => status))).toEqual(new Set(['error']));
    const { rows } = await db.query('SELECT count(*)::int AS documents FROM documents');
    expect(rows[0].documents).toBeGreaterThanOrEqual(told);
    expect(rows[0].documents).toBeLessThan(DOCUMENTS);
    await target.stop();
  });

  it('stops when aborted, and the generator is ready for the next job', async () => {
    const { url } = await start();
    const job = await jobFor(url);
    const controller = new AbortController();
    const loading = bulkLoad(job, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 150);
    await expect(loading).rejects.toThrow('enough');
    expect((await bulkLoad(job)).bulk.loaded).toBe(DOCUMENTS);
  });
});
