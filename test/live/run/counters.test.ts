import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import type { CountersRecord, SliceRecord } from '../../../src/journal/records.ts';
import { coveredOutcomes } from '../../../src/judge/read/rounds/void-reasons.ts';
import { runLive } from '../../support/live-run.ts';

// Turns of a set length: a busy machine does not make them too long for counters.
const textWith = (connections: number): string => `title: Counters of turns
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 2000, seed: 1 }
sweep:
  pool: { env: POOL_MAX, levels: [10, 20] }
control: { pool: 10 }
load:
  connections: ${connections}
  workload: upsert-schools
  slice: 3s
  turn: 100ms
  warmup: 500ms
rounds: { min: 1, max: 1 }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-counters-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A machine that is busy for a moment has no counters of a pass: so often at most, then none is a mistake of the bench. */
const TRIES = 4;

/** The slices of a session, and the counters of at least one of them. */
async function counted(connections: number): Promise<{ slices: SliceRecord[]; counters: CountersRecord[] }> {
  for (let tried = 0; tried < TRIES; tried++) {
    const path = join(folder, `run-${tried}`);
    const asked = { text: textWith(connections), file: 'test/live/run/counters.yaml', path };
    const run = await runLive(asked, { emit: () => {} });
    const records = [...readJournal(run.journal).records];
    const counters = records.filter((record) => record.type === 'counters');
    if (counters.length > 0) return { slices: records.filter((record) => record.type === 'slice'), counters };
  }
  throw new Error(`no slice of ${TRIES} sessions has counters`);
}

it.each([
  // The only session reports in every turn, and its last report may hold one transaction more or less at either end.
  { connections: 1, exceptShare: 0, except: 2 },
  // A session that was idle in one of those turns is off by more: what the judge allows for.
  { connections: 25, exceptShare: 0.02, except: 60 },
])('accounts for every transaction of the document service at $connections connections', async (tried) => {
  const { slices, counters } = await counted(tried.connections);
  expect(slices).toHaveLength(3);
  for (const record of counters) {
    const slice = slices.find((one) => one.slice === record.slice);
    if (slice === undefined) throw new Error(`counters of slice ${record.slice}, which there is not`);
    expect(record.complete).toBe('turns');
    // A write is one transaction.
    const { statuses } = coveredOutcomes(slice, record);
    const acknowledged = (statuses['200'] ?? 0) + (statuses['201'] ?? 0);
    expect(acknowledged).toBeGreaterThan(20);
    const difference = Math.abs(record.delta.xact_commit - acknowledged);
    expect(difference).toBeLessThanOrEqual(tried.exceptShare * acknowledged + tried.except);
  }
});
