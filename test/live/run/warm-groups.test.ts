import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { runLive } from '../../support/live-run.ts';

// Turns of half a second leave room for four variants in a group.
const text = `title: Arms in groups after a bulk load
target: { service: documents }
variants:
  Control: {}
${Array.from({ length: 5 }, (_, index) => `  Same ${index}: { env: { NOTHING_${index}: '1' } }`).join('\n')}
control: Control
load:
  bulk: { template: partial-grand-bend, documents: 200, connections: 5 }
  reads: [get-documents, list-by-reference]
  connections: 4
  slice: 1s
  turn: 500ms
  warmup: 500ms
rounds: { min: 1, max: 1 }
`;

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

it('warms every arm for each workload after a bulk load, and has each in one group of a round', async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-warm-'));
  const file = 'test/live/run/warm-groups.yaml';
  const run = await runLive({ text, file, path: join(folder, 'run') }, { emit: () => {} });
  const records = [...readJournal(run.journal).records];
  const rounds = new Set(records.flatMap((record) => (record.type === 'round' ? [record.round] : [])));
  expect(rounds.size).toBeGreaterThan(0);
  for (const round of rounds) {
    const arms = records.flatMap((record) => (record.type === 'arm' && record.round === round ? [record.arm] : []));
    expect(arms).toHaveLength(9);
    for (const workload of ['get-documents', 'list-by-reference']) {
      const isOf = (record: { readonly round: number; readonly load: { readonly workload?: string } }): boolean =>
        record.round === round && record.load.workload === workload;
      const warmed = records.flatMap((record) => (record.type === 'warmup' && isOf(record) ? [record.arm] : []));
      expect(warmed.sort()).toEqual([...arms].sort());
      const groups = records.flatMap((record) =>
        record.type === 'pass' && isOf(record) && record.repeated !== true ? [record.arms] : [],
      );
      expect(groups).toHaveLength(2);
      expect(groups.flat().sort()).toEqual([...arms].sort());
      for (const group of groups) expect(group.filter((arm) => arm.startsWith('Control'))).toHaveLength(2);
    }
  }
}, 600_000);
