import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as hdr from 'hdr-histogram-js';
import { afterEach, describe, expect, it } from 'vitest';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import type { JournalRecord, SliceRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { runFolderAt } from '../../../src/measure/run/run-folder.ts';
import { compressed } from '../../fixtures/merge-latencies.ts';
import { runLive } from '../../support/live-run.ts';
import { descendantsOf } from '../../support/processes.ts';
import { switchedWork } from '../../support/switched-work.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Ran {
  readonly journal: Journal;
  readonly records: readonly JournalRecord[];
}

/** Runs a scenario until this many starts are made. */
async function run(text: string, starts = 1): Promise<Ran> {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-live-'));
  folders.push(path);
  const { journal: file } = runFolderAt(path);
  await runLive(
    { text, file: 'test/bench/live.yaml', path },
    {
      decideStop: (round) => ({ ...decideStop(readJournal(file)), stop: round >= starts }),
      emit: () => {},
    },
  );
  const journal = readJournal(file);
  return { journal, records: [...journal.records] };
}

/** The latency of the fastest answer. */
function quickestUs(slice: SliceRecord | undefined): number {
  const histogram = slice?.latency.histogram ?? '';
  if (histogram === '') throw new Error(`a slice without an answer: ${JSON.stringify(slice)}`);
  return hdr.decodeFromCompressedBase64(compressed(histogram), 32, false).minNonZeroValue;
}

/** Every arm twice in each block, forwards and backwards, and each turn after a switch that was seen. */
function expectBalanced(records: readonly JournalRecord[]): void {
  const passes = records.filter((record) => record.type === 'pass');
  expect(passes.length).toBeGreaterThan(0);
  for (const { order, arms, live, turnsPerArm } of passes) {
    expect(live?.switches).toBe(order.length);
    expect(order).toHaveLength(arms.length * turnsPerArm);
    for (let at = 0; at < order.length; at += 2 * arms.length) {
      const there = order.slice(at, at + arms.length);
      expect(new Set(there).size).toBe(arms.length);
      expect(order.slice(at + arms.length, at + 2 * arms.length)).toEqual([...there].reverse());
    }
  }
}

const busy = (
  levels: readonly [number, number | string],
  { lengths = 'slice: 800ms, warmup: 300ms', waitMs = 0 } = {},
): string =>
  switchedWork({
    title: 'A planted slowdown',
    levels,
    waitMs,
    load: `connections: 2, ${lengths}, settle: 50ms`,
    rounds: 'min: 1',
  });

describe('a session of settings that are switched live', () => {
  it('sees a planted slowdown in the setting that has it', async () => {
    const { journal, records } = await run(busy([20, 4000]), 2);
    expectBalanced(records);
    const slices = records.filter((record) => record.type === 'slice');
    expect(slices).toHaveLength(2 * 3);
    for (const round of [1, 2]) {
      // Two hundred times the work: the quickest of many answers is the one that other load has held up least.
      const of = (arm: string): number => quickestUs(slices.find((one) => one.round === round && one.arm === arm));
      expect(of('work=4000')).toBeGreaterThan(3 * Math.max(of('work=20'), of('work=20 (A/A)')));
    }
    const { live, passes } = summarize(journal);
    expect(live).toMatchObject([{ starts: 2, settleMs: 50 }]);
    expect(passes[0]?.wholeSlices).toEqual({});
  });

  it('sets the lengths of slices and of the warm-up of the one process by itself', async () => {
    // With a wait, so that the load leaves some of the machine to other tests.
    const { records } = await run(busy([20, 30], { lengths: 'slice: auto, warmup: auto', waitMs: 2 }), 2);
    expectBalanced(records);
    const [lengths] = records.filter((record) => record.type === 'lengths');
    const [level] = lengths?.levels ?? [];
    expect(level?.sliceMs).toBeGreaterThanOrEqual(1000);
    const sliceMs = (round: number): number[] =>
      records.flatMap((record) =>
        record.type === 'pass' && record.round === round ? [Math.round(record.turnMs * record.turnsPerArm)] : [],
      );
    expect(sliceMs(2)).toEqual([level?.sliceMs]);
    const wanted = records.flatMap((record) => (record.type === 'warmup' ? [record.wanted] : []));
    const after = lengths?.warmups[0]?.requests;
    expect(wanted).toEqual([1000, 1000, 1000, after, after, after]);
  });

  it('switches the pool, a lock, a setting and an index of the document service', async () => {
    const { journal, records } = await run(`
title: Everything live
target: { service: documents, env: { ADMIN: on } }
dataset: { template: partial-grand-bend, documents: 300 }
variants:
  Usual: { live: { request: { path: /admin/settings, body: { poolMax: 4, lockReferences: share-nowait } }, verify: { path: /admin/settings, expect: { poolMax: 4 } } } }
  Other:
    live:
      request: { path: /admin/settings, body: { poolMax: 2, lockReferences: none } }
      settings: { synchronous_commit: off, wal_writer_delay: 500ms }
      hideIndex: ix_references_checking
      verify: { path: /admin/settings, expect: { poolMax: 2, lockReferences: none } }
control: Usual
load: { connections: 4, slice: 1s, warmup: 500ms, workload: upsert-schools }
rounds: { min: 1 }
`);
    expectBalanced(records);
    const found = (arm: string): readonly string[] =>
      records
        .flatMap((record) => (record.type === 'arm' && record.arm === arm ? (record.treatment ?? []) : []))
        .map((one) => one.found);
    expect(found('Other')).toEqual([
      'synchronous_commit = off (database)',
      'wal_writer_delay = 500ms (server)',
      expect.stringMatching(/^ix_references_checking hidden/),
      'PUT /admin/settings answered',
      'GET /admin/settings: {"poolMax":2,"lockReferences":"none"}',
    ]);
    expect(found('Usual').slice(0, 2)).toEqual([
      'synchronous_commit = on (database)',
      'wal_writer_delay = 200ms (server)',
    ]);
    const slices = records.filter((record) => record.type === 'slice');
    // Arms have their slices in an order that is drawn.
    expect(slices.map(({ arm, latency, voided }) => [arm, latency.count > 0, voided]).sort()).toEqual(
      ['Other', 'Usual (A/A)', 'Usual'].map((arm) => [arm, true, []]),
    );
    expect(summarize(journal).notes).toContainEqual(expect.objectContaining({ kind: 'no-database-columns' }));
    const [probes] = records.filter((record) => record.type === 'probes');
    expect(probes?.present).toContain('wait-events');
    expect(probes?.present).not.toContain('pg-stat-statements');
    expect(records.filter((record) => record.type === 'counters')).toEqual([]);
  });

  it('ends with a clear error where the service refuses, and leaves no process', async () => {
    const failed = run(busy([20, 'often']));
    await expect(failed).rejects.toThrow(
      /^the running service was not switched to "work=often": PUT \/work was answered 400: /,
    );
    const mine = descendantsOf(process.pid).filter(({ args }) => /services\/busy\.mjs|bin\/postgres/.test(args));
    expect(mine).toEqual([]);
  });
});
