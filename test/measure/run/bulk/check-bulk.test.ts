import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import type { BulkCountCheck, BulkSpec } from '../../../../src/journal/scenario-record.ts';
import { checkBulk } from '../../../../src/measure/run/bulk/check-bulk.ts';
import type { StartedPostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

let reaper: Reaper;
let server: StartedPostgres;
beforeAll(async () => {
  reaper = startReaper();
  server = await startEmbeddedPostgres({ reaper });
});
afterAll(async () => {
  await server.stop();
  await reaper.close();
});

/** Eight of ten documents were accepted. */
const bulk = { documents: 10, loaded: 8, repeats: 0, failed: { '500': 2 }, byResource: {}, totalMs: 1 };

/** What is found where the database holds so many documents. */
function found(count: number, { update, ...check }: Pick<BulkSpec, 'update'> & Partial<BulkCountCheck>) {
  const sending = { connections: 1, inFlight: 1, retries: 0, backoffMs: 1 };
  const dataset = { kind: 'file', file: '/documents.ndjson' } as const;
  const spec: BulkSpec = { dataset, ...sending, update, check: { sql: `SELECT ${count}`, ...check } };
  return checkBulk(spec, server.adminUrl(), bulk);
}

const none = { missing: 0, unexpected: 0, doubled: 0, dangling: 0 };

describe('the count after a bulk load', () => {
  it('is as many as were accepted, no more and no fewer', async () => {
    expect(await found(8, { update: false })).toEqual(none);
    expect(await found(10, { update: false })).toEqual({ ...none, unexpected: 2 });
    expect(await found(7, { update: false })).toEqual({ ...none, missing: 1 });
  });

  it('of updates may have what the first pass has stored and the measured one did not get accepted', async () => {
    for (const count of [8, 9, 10]) expect(await found(count, { update: true })).toEqual(none);
    expect(await found(11, { update: true })).toEqual({ ...none, unexpected: 1 });
    expect(await found(7, { update: true })).toEqual({ ...none, missing: 1 });
  });

  it('that the scenario names is that one, of updates too', async () => {
    expect(await found(10, { update: true, equals: 8 })).toEqual({ ...none, unexpected: 2 });
  });
});
