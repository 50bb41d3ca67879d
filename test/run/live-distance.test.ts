import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { summarize } from '../../src/analysis/summary.ts';
import { type Journal, readJournal } from '../../src/journal/journal.ts';
import { runFolderAt } from '../../src/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import { descendantsOf } from '../support/processes.ts';

const text = `target: { service: documents }
sweep: { distance: { rtt: [0, 3ms] } }
control: { distance: 0 }
load: { connections: 2, workload: get-schools, slice: 600ms, warmup: 100ms }
rounds: { min: 1, max: 1 }
probes: { all: off }
`;

let journal: Journal;
const path = mkdtempSync(join(tmpdir(), 'pgsweep-distance-'));
beforeAll(async () => {
  await runLive({ text, file: 'test/bench/distance.yaml', path }, { emit: () => {} });
  journal = readJournal(runFolderAt(path).journal);
});
afterAll(() => rmSync(path, { recursive: true }));

it('puts a proxy before the database of those arms alone that are at a distance, and measures it in the round', () => {
  const links = [...journal.records].filter((record) => record.type === 'link');
  expect(links).toMatchObject([{ round: 1, arm: 'distance=3ms', variant: 'distance=3ms' }]);
  expect(links[0]?.distance).toMatchObject({ asked: { rttMs: 3 }, direct: { p50Us: expect.any(Number) } });
  const works = [...journal.records].flatMap((record) => (record.type === 'slice' ? [record] : []));
  expect(works).toHaveLength(3);
  for (const { variant, work, outcomes } of works) {
    expect(outcomes.errors).toBe(0);
    expect(Object.hasOwn(work ?? {}, 'linkCpuMs')).toBe(variant === 'distance=3ms');
  }
});

it('says so in the result', () => {
  const { links = [] } = summarize(journal);
  expect(links).toMatchObject([{ variant: 'distance=3ms', distance: { asked: { rttMs: 3 }, looks: 1 } }]);
  // However busy the machine: a request cannot be answered without its round trip.
  expect(links[0]?.distance?.p50Ms).toBeGreaterThan(1.5);
});

it('leaves no process behind', async () => {
  await expect.poll(() => descendantsOf(process.pid).filter(({ args }) => /proxy-main/.test(args))).toEqual([]);
});
