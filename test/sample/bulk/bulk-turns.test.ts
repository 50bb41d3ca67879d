import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BulkSpec } from '../../../src/journal/scenario-record.ts';
import { openBulkLoad as openLoad } from '../../../src/measure/load/bulk/bulk-load.ts';
import { requestsOf } from '../../../src/measure/load/bulk/requests-of.ts';
import type { BulkJob, BulkTurnResult } from '../../../src/measure/load/load-generator.ts';
import { type AnswerPost, created, type DocumentServer, startDocumentServer } from './http-server.ts';

const DOCUMENTS = 600;
const TURN_MS = 60;
let folder: string;
const servers: DocumentServer[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-bulk-'));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function start(answer: AnswerPost): Promise<DocumentServer> {
  const server = await startDocumentServer(answer);
  servers.push(server);
  return server;
}

const openBulkLoad = async (job: BulkJob) => openLoad(job, await requestsOf(job.spec.dataset, job));

let files = 0;
function jobFor(url: string, spec: Partial<BulkSpec> = {}): BulkJob {
  return {
    url,
    seed: 1,
    timeoutMs: 30_000,
    failuresFile: join(folder, `failures-${files++}.jsonl`),
    labels: {},
    spec: {
      dataset: { kind: 'template', template: 'partial-grand-bend', documents: DOCUMENTS, seed: 1 },
      connections: 4,
      inFlight: 4,
      retries: 2,
      backoffMs: 5,
      update: false,
      ...spec,
    },
  };
}

describe('a bulk load in turns', () => {
  it('sends nothing between them, beside another, and its time is that of its own turns', async () => {
    const servers = [
      await start((_post, response) => created(response, 5)),
      await start((_post, response) => created(response, 5)),
    ];
    const streams = await Promise.all(servers.map(({ url }) => openBulkLoad(jobFor(url))));
    const arms = streams.map((stream, index) => ({
      stream,
      posted: servers[index]?.posted ?? [],
      turns: [] as BulkTurnResult[],
    }));
    while (arms.some(({ turns }) => turns.at(-1)?.done !== true)) {
      for (const { stream, posted, turns } of arms.filter(({ turns }) => turns.at(-1)?.done !== true)) {
        turns.push(await stream.turn(TURN_MS));
        const { length } = posted;
        await sleep(15);
        expect(posted).toHaveLength(length);
      }
    }
    for (const { stream, turns, posted } of arms) {
      const { result } = await stream.close();
      const ownMs = turns.reduce((sum, { wallMs }) => sum + wallMs, 0);
      expect(turns.length).toBeGreaterThan(3);
      expect(posted).toHaveLength(DOCUMENTS);
      expect(result.bulk).toMatchObject({ documents: DOCUMENTS, loaded: DOCUMENTS, repeats: 0, failed: {} });
      expect(result.connectionsOpened).toBe(4);
      for (const ms of [result.loadMs, result.windowMs, result.bulk.totalMs]) expect(ms).toBeCloseTo(ownMs, 3);
    }
  });

  it('says how long connections idled at the end of a turn, and nothing of the end of the load', async () => {
    let posts = 0;
    // One of the four connections keeps the others waiting.
    const server = await start((_post, response) => created(response, posts++ === 1 ? 400 : 2));
    const stream = await openBulkLoad(jobFor(server.url));
    const { wallMs, idleMs } = await stream.turn(TURN_MS);
    expect(wallMs).toBeGreaterThan(390);
    // Three of four, from the end of sending to the slow answer.
    expect(idleMs).toBeGreaterThan(0.6 * (wallMs - TURN_MS));
    expect(idleMs).toBeLessThan(0.8 * wallMs);
    expect(await stream.turn(Number.POSITIVE_INFINITY)).toMatchObject({ idleMs: 0, done: true });
    await stream.close();
  });

  it('a connection that was closed while it was idle is no failure and no repeat', async () => {
    const server = await start((_post, response) => created(response, 3));
    const job = jobFor(server.url);
    const stream = await openBulkLoad(job);
    for (let i = 0; !(await stream.turn(TURN_MS)).done; i++) {
      await sleep(30);
      server.closeIdle();
      // Now known to the client ahead of its turn, and now not.
      if (i % 2 === 0) await sleep(20);
    }
    const { result } = await stream.close();
    expect(server.posted).toHaveLength(DOCUMENTS);
    expect(result.bulk).toMatchObject({ loaded: DOCUMENTS, repeats: 0, failed: {} });
    expect(result.outcomes).toEqual({ statuses: { '201': DOCUMENTS }, errors: 0, timeouts: 0 });
    expect(result.reopened).toBeGreaterThan(0);
    expect(result.connectionsOpened).toBe(4 + result.reopened);
    expect(readFileSync(job.failuresFile, 'utf8')).toBe('');
  });

  it('backoffs stand still between turns, and what was refused goes again in the next', async () => {
    let refused = 0;
    const server = await start(({ resource }, response) => {
      if (resource === 'schools' && refused++ % 2 === 0) response.writeHead(503).end();
      else created(response);
    });
    const stream = await openBulkLoad(jobFor(server.url, { backoffMs: 40, retries: 6 }));
    while (!(await stream.turn(TURN_MS)).done) await sleep(5);
    const { result } = await stream.close();
    expect(result.bulk).toMatchObject({ loaded: DOCUMENTS, failed: {} });
    expect(result.bulk.repeats).toBe(result.outcomes.statuses['503']);
    expect(server.early).toEqual([]);
  });

  it('an update loads all of it unmeasured first, in turns too', async () => {
    const server = await start((_post, response) => created(response, 1));
    const stream = await openBulkLoad(jobFor(server.url, { update: true }));
    let turn: BulkTurnResult;
    const secondMs: number[] = [];
    do {
      const wasSecond = server.posted.length >= DOCUMENTS;
      turn = await stream.turn(TURN_MS);
      if (wasSecond) secondMs.push(turn.wallMs);
    } while (!turn.done);
    const { result } = await stream.close();
    expect(server.posted).toHaveLength(2 * DOCUMENTS);
    expect(result.bulk).toMatchObject({ documents: DOCUMENTS, loaded: DOCUMENTS });
    // The end of the first load may be noticed only in a turn of its own, in which nothing is posted.
    const [noticed = 0, ...others] = secondMs;
    const restMs = others.reduce((sum, ms) => sum + ms, 0);
    const possible = [noticed + restMs, restMs].map((ms) => Math.abs(ms - result.bulk.totalMs));
    expect(Math.min(...possible)).toBeLessThan(0.001);
  });

  it('a data set that cannot be read is told when it is opened', async () => {
    const dataset = { kind: 'edfi', folder: join(folder, 'nothing') } as const;
    await expect(openBulkLoad(jobFor('http://127.0.0.1:1', { dataset }))).rejects.toMatchObject({ code: 'dataset' });
  });
});
