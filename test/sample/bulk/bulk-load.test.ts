import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generatePartialGrandBend } from '../../../scenarios/services/documents/dataset/templates/partial-grand-bend/generate.ts';
import { createRandom } from '../../../src/base/random.ts';
import type { BulkSpec } from '../../../src/journal/scenario-record.ts';
import { openBulkLoad as openLoad } from '../../../src/measure/load/bulk/bulk-load.ts';
import type { BulkLoaded } from '../../../src/measure/load/bulk/pass.ts';
import { requestsOf } from '../../../src/measure/load/bulk/requests-of.ts';
import type { BulkJob, BulkProgress } from '../../../src/measure/load/load-generator.ts';
import { type AnswerPost, created, type DocumentServer, startDocumentServer } from './http-server.ts';

const DOCUMENTS = 1300;
let folder: string;
let server: DocumentServer | null = null;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-bulk-'));
});
afterEach(() => {
  server?.close();
  server = null;
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(answer: AnswerPost): Promise<DocumentServer> {
  server = await startDocumentServer(answer);
  return server;
}

const openBulkLoad = async (job: BulkJob) => openLoad(job, await requestsOf(job.spec.dataset, job));

let files = 0;
function jobFor(url: string, spec: Partial<BulkSpec> = {}, job: Partial<BulkJob> = {}): BulkJob {
  return {
    url,
    seed: 1,
    timeoutMs: 30_000,
    failuresFile: join(folder, `failures-${files++}.jsonl`),
    labels: { round: 3, arm: 'Control' },
    spec: {
      dataset: { kind: 'template', template: 'partial-grand-bend', documents: DOCUMENTS, seed: 1 },
      connections: 8,
      inFlight: 8,
      retries: 2,
      backoffMs: 5,
      update: false,
      ...spec,
    },
    ...job,
  };
}

async function load(
  job: BulkJob,
  signal = new AbortController().signal,
  onProgress: (at: BulkProgress) => void = () => {},
): Promise<BulkLoaded> {
  const stream = await openBulkLoad(job);
  expect(await stream.turn(Number.POSITIVE_INFINITY, { signal, onProgress })).toMatchObject({ done: true });
  return stream.close();
}

const failuresOf = ({ failuresFile }: BulkJob) =>
  readFileSync(failuresFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const dataset = [...generatePartialGrandBend({ documents: DOCUMENTS, seed: 1 })];
const inOrder = (documents: readonly { resource: string; body: object }[]): string[] =>
  documents.map(({ resource, body }) => `${resource} ${JSON.stringify(body)}`).sort();

describe('a bulk load', () => {
  it('posts every document once, none before all that it refers to was accepted', async () => {
    const random = createRandom(7);
    const { url, early, posted } = await start((_post, response) => created(response, random.integer(0, 12)));
    const { result } = await load(jobFor(url, { connections: 20, inFlight: 20 }));
    expect(early).toEqual([]);
    expect(inOrder(posted)).toEqual(inOrder(dataset));
    expect(result.bulk).toMatchObject({ documents: DOCUMENTS, loaded: DOCUMENTS, repeats: 0, failed: {} });
    expect(result.outcomes).toEqual({ statuses: { '201': DOCUMENTS }, errors: 0, timeouts: 0 });
    expect(result.latency.count).toBe(DOCUMENTS);
    const sum = Object.values(result.byRequest).reduce((count, { latency }) => count + latency.count, 0);
    expect(sum).toBe(DOCUMENTS);
    expect(result.byRequest.descriptors?.latency.count).toBe(
      dataset.filter(({ resource }) => resource.endsWith('Descriptors')).length,
    );
    expect(result.bulk.byResource.schools?.loaded).toBe(
      dataset.filter(({ resource }) => resource === 'schools').length,
    );
    expect(result.windowMs).toBe(result.bulk.totalMs);
  });

  it('has as many connections as asked, all busy, whatever has to wait for what', async () => {
    const { url } = await start((_post, response) => created(response, 3));
    const twelve = { connections: 12, inFlight: 12 };
    const { result } = await load(jobFor(url, twelve));
    expect(server?.connections).toBe(12);
    expect(result.connectionsOpened).toBe(12);
    expect(server?.mostUnderWay).toBe(12);
    // With barriers, connections would idle at the end of every kind of document.
    const busyShare = ({ latency, windowMs }: typeof result): number =>
      (latency.count * latency.meanUs) / 1000 / windowMs / 12;
    // A machine that stands still while little is under way makes all of them idle: then the next try tells.
    await expect.poll(async () => busyShare((await load(jobFor(url, twelve))).result)).toBeGreaterThan(0.7);
  });

  it('has no more under way than may be', async () => {
    const { url } = await start((_post, response) => created(response, 1));
    await load(jobFor(url, { connections: 12, inFlight: 5 }));
    expect(server?.mostUnderWay).toBe(5);
  });

  it('sends again what was refused for now, until it is accepted, and its referrers only then', async () => {
    const refused = new Set<string>();
    const statuses = [409, 429, 503];
    const { url, early } = await start(({ aliasIds, resource }, response) => {
      const [id = ''] = aliasIds;
      if (refused.has(id) || resource.endsWith('Descriptors')) return created(response);
      refused.add(id);
      response.writeHead(statuses[refused.size % 3] ?? 500).end('not now');
    });
    const job = jobFor(url);
    const { result } = await load(job);
    expect(early).toEqual([]);
    expect(refused.size).toBeGreaterThan(200);
    expect(result.bulk).toMatchObject({ loaded: DOCUMENTS, repeats: refused.size, failed: {} });
    const { '409': a = 0, '429': b = 0, '503': c = 0 } = result.outcomes.statuses;
    expect(a + b + c).toBe(refused.size);
    expect(failuresOf(job)).toEqual([]);
  });

  it('writes down what was never accepted, with its identity, and goes on with the rest', async () => {
    const long = 'x'.repeat(5000);
    const { url, posted } = await start(({ resource }, response) => {
      if (resource === 'courses') response.writeHead(400).end('{"error":"no courses here"}');
      else if (resource === 'locations') response.writeHead(500).end(long);
      else if (resource === 'programs') response.socket?.resetAndDestroy();
      else created(response);
    });
    const job = jobFor(url);
    const { result } = await load(job);
    const count = (resource: string): number => dataset.filter((document) => document.resource === resource).length;
    const { courses, locations, programs } = {
      courses: count('courses'),
      locations: count('locations'),
      programs: count('programs'),
    };
    expect(result.bulk.failed).toEqual({ '400': courses, '500': locations, error: programs });
    expect(result.bulk.loaded).toBe(DOCUMENTS - courses - locations - programs);
    expect(result.bulk.byResource.courses).toEqual({ documents: courses, loaded: 0 });
    expect(result.outcomes.errors).toBe(programs * 3);
    // 400 is the document's own fault: it is not sent again.
    expect(posted.filter(({ resource }) => resource === 'courses')).toHaveLength(courses);
    expect(posted.filter(({ resource }) => resource === 'locations')).toHaveLength(3 * locations);
    const failures = failuresOf(job);
    expect(failures).toHaveLength(courses + locations + programs);
    const course = failures.find(({ resource }) => resource === 'courses');
    expect(course).toEqual({
      round: 3,
      arm: 'Control',
      resource: 'courses',
      identity: { courseCode: expect.any(String), educationOrganizationId: expect.any(Number) },
      status: 400,
      message: '{"error":"no courses here"}',
      attempts: 1,
    });
    expect(failures.find(({ status }) => status === 500)).toMatchObject({ message: 'x'.repeat(500), attempts: 3 });
    expect(failures.find(({ status }) => status === 'error')).toMatchObject({ resource: 'programs', attempts: 3 });
  });

  it('gives up what is not answered in time, as a timeout', async () => {
    const { url } = await start(({ resource }, response) => {
      if (resource !== 'calendars') created(response);
    });
    const { result } = await load(jobFor(url, { retries: 0 }, { timeoutMs: 3000 }));
    expect(result.bulk.failed).toEqual({ timeout: 1 });
    expect(result.outcomes).toMatchObject({ timeouts: 1, errors: 0 });
  });

  it('carries a load over a service that is away for a moment', async () => {
    const { url, posted, open } = await start((_post, response) => {
      if (posted.length === 600) {
        server?.close();
        setTimeout(() => void open(), 150);
      } else created(response);
    });
    const { result } = await load(jobFor(url, { retries: 6, backoffMs: 20 }));
    expect(result.bulk).toMatchObject({ loaded: DOCUMENTS, failed: {} });
    expect(result.bulk.repeats).toBeGreaterThan(0);
    expect(result.outcomes.errors).toBe(result.bulk.repeats);
  });

  it('ends with a clear error where nothing answers any more', async () => {
    const { url, posted } = await start((_post, response) => {
      if (posted.length === 600) server?.close();
      else created(response);
    });
    const job = jobFor(url);
    await expect(load(job)).rejects.toMatchObject({ code: 'load', message: expect.stringContaining('ECONNREFUSED') });
    expect(failuresOf(job).length).toBeGreaterThanOrEqual(100);
    expect(failuresOf(job).length).toBeLessThan(200);
  });

  it('stops soon when aborted, with the reason, and leaves nothing under way', async () => {
    const controller = new AbortController();
    const { url, posted } = await start((_post, response) => {
      created(response, 5);
      if (posted.length === 100) controller.abort(new Error('enough'));
    });
    await expect(load(jobFor(url), controller.signal)).rejects.toThrow('enough');
    // What was under way may still arrive.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(posted.length).toBeLessThan(100 + 8);
  });

  it('loads all of it once unmeasured where updates are wanted, and says so', async () => {
    const { url, posted } = await start((_post, response) => created(response, 3));
    const progress: BulkProgress[] = [];
    const { result } = await load(jobFor(url, { update: true }), undefined, (at) => progress.push(at));
    expect(posted).toHaveLength(2 * DOCUMENTS);
    expect(result.bulk).toMatchObject({ documents: DOCUMENTS, loaded: DOCUMENTS });
    expect(result.outcomes.statuses).toEqual({ '201': DOCUMENTS });
    expect(new Set(progress.map(({ unmeasured }) => unmeasured))).toEqual(new Set([true, false]));
    expect(progress.every(({ total }) => total === DOCUMENTS)).toBe(true);
  });

  it('keeps some of the documents with the ids that the service gave, the same whatever the order of answers', async () => {
    const random = createRandom(3);
    const { url } = await start((_post, response) => created(response, random.integer(0, 9)));
    const [one, other] = [await load(jobFor(url)), await load(jobFor(url))];
    const bodies = ({ examples }: typeof one) => examples.map(({ resource, body }) => ({ resource, body }));
    expect(one.examples.filter(({ resource }) => resource === 'schools').length).toBeGreaterThan(10);
    expect(bodies(one)).toEqual(bodies(other));
    expect(one.examples.every(({ id }) => /^[a-z0-9]+$/.test(id))).toBe(true);
    expect(one.examples.length).toBeLessThan(DOCUMENTS);
  });
});
