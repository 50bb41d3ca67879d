import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { runFolderAt } from '../../../src/measure/run/run-folder.ts';
import { documentOf } from '../../../src/report/document.ts';
import { runLive } from '../../support/live-run.ts';
import { type QueueService, startQueue } from '../../support/queue-service.ts';

const ofUsers = mkdtempSync(join(tmpdir(), 'pgsweep-capacity-'));
const path = mkdtempSync(join(tmpdir(), 'pgsweep-capacity-'));
let service: QueueService;
let journal: Journal;

beforeAll(async () => {
  service = await startQueue({ workers: 4, meanMs: 5 });
  const text = `
title: What a queue bears
target: { url: "${service.url}" }
variants: { queue: {} }
control: queue
load: { capacity: { connections: 8..128, until: { p95_ms: 60 } }, slice: 500ms, warmup: 200ms, requests: [{ path: / }] }
rounds: { min: 1, max: 2 }
`;
  const { journal: file } = runFolderAt(path);
  await runLive(
    { text, file: 'test/bench/capacity.yaml', path },
    { decideStop: (round) => ({ ...decideStop(readJournal(file)), stop: round === 2 }), emit: () => {} },
  );
  journal = readJournal(file);
});
afterAll(async () => {
  await service?.stop();
  for (const folder of [path, ofUsers]) rmSync(folder, { recursive: true });
});

describe('a real search for a capacity', () => {
  it('has slices of both arms at each level that it chose', () => {
    const records = [...journal.records];
    const levels = records.filter((record) => record.type === 'levels');
    expect(levels.map(({ round }) => round)).toEqual([1, 2]);
    for (const { round, fromPass, levels: chosen } of levels) {
      const slices = records.flatMap((record) =>
        record.type === 'slice' && record.round === round && (record.pass ?? 0) >= fromPass
          ? [`${loadSize(record.load)} ${record.repeat}`]
          : [],
      );
      expect(slices.sort()).toEqual(
        chosen.flatMap((level) => [`${loadSize(level)} false`, `${loadSize(level)} true`]).sort(),
      );
    }
  });

  it('went up through the range first', () => {
    const swept = [...journal.records].flatMap((record) => (record.type === 'pass' ? [loadSize(record.load)] : []));
    expect(swept[0]).toBe(8);
  });

  it('tells what it found, with the evidence, and gives no interval after two rounds', () => {
    const summary = summarize(journal);
    expect(summary.capacity?.arms).toHaveLength(2);
    for (const { evidence, interval } of summary.capacity?.arms ?? []) {
      expect(evidence.length).toBeGreaterThan(2);
      expect(interval).toBeNull();
    }
    const [section] = documentOf(summary).sections;
    expect(section?.heading).toBe('Capacity');
    expect(section?.tables[0]?.rows).toHaveLength(2);
  });
});

describe('a real search for how many users are sustained', () => {
  it('has whole slices of users who pause, in steps up and then around the limit', async () => {
    const text = `
title: How many users a queue bears
target: { url: "${service.url}" }
variants: { queue: {} }
control: queue
load: { capacity: { users: 16..128, until: { p95_ms: 100 } }, slice: 500ms, warmup: 200ms, script: [{ path: /, think: { exponential: 50ms } }] }
rounds: { min: 1, max: 1 }
`;
    const scenario = { text, file: 'test/bench/capacity.yaml', path: ofUsers };
    await runLive(scenario, { decideStop: () => ({ stop: true, undecided: 0 }), emit: () => {} });
    const found = readJournal(runFolderAt(ofUsers).journal);
    const records = [...found.records];
    const slices = records.filter((record) => record.type === 'slice');
    expect(slices.length).toBeGreaterThanOrEqual(4);
    // Each user has one connection, and each slice is one stretch.
    for (const { load, turns, connections } of slices) {
      expect(load).toEqual({ users: expect.any(Number) });
      expect(turns?.ok).toHaveLength(1);
      expect(connections?.opened).toBeLessThanOrEqual(loadSize(load));
    }
    const [levels] = records.filter((record) => record.type === 'levels');
    expect(levels?.levels.every((level) => 'users' in level && level.users >= 16 && level.users <= 128)).toBe(true);
    const { capacity } = summarize(found);
    expect(capacity).toMatchObject({ of: 'users', arms: [{ variant: 'queue' }, { variant: 'queue' }] });
    const [section] = documentOf(summarize(found)).sections;
    expect(section?.tables[0]?.title).toBe('How many users each variant sustains');
  });
});
