import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { warningWords } from '../../../src/report/words/remedies.ts';
import { scenarioFacts } from '../../../src/report/words/scenario-facts.ts';
import { runLive } from '../../support/live-run.ts';

const text = `title: A service without any database
target: { command: node memory.mjs, database: none, reset: node reset.mjs }
variants: { A: {}, B: { env: { OTHER: 1 } } }
control: A
load:
  connections: 2
  slice: 300ms
  warmup: 200ms
  requests:
    - { path: /items/1 }
    - { method: PUT, path: "/items/\${unique}", body: more }
rounds: { min: 2, max: 2 }
`;

let folder: string;
let journal: Journal;
let records: readonly JournalRecord[];
let summary: Summary;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-none-'));
  process.env.DATA = folder;
  const run = await runLive(
    { text, file: 'test/fixtures/services/none.yaml', path: join(folder, 'run') },
    // Nothing that it would take is there.
    { stackChoice: { kind: 'auto' }, emit: () => {} },
  );
  journal = readJournal(run.journal);
  records = [...journal.records];
  summary = summarize(journal);
});
afterAll(() => {
  delete process.env.DATA;
  rmSync(folder, { recursive: true });
});

describe('a run without any Postgres', () => {
  it('measures every arm in every round, and says that there is no stack', () => {
    expect(journal.run.provenance).toMatchObject({ stack: 'none', postgresVersion: null, dataset: null });
    const arms = records.flatMap((record) => (record.type === 'slice' ? [`${record.round} ${record.arm}`] : []));
    expect(arms.sort()).toEqual(['1 A', '1 A (A/A)', '1 B', '2 A', '2 A (A/A)', '2 B']);
    const failed = records.flatMap((record) => (record.type === 'slice' ? [record.whole.errors] : []));
    expect(new Set(failed)).toEqual(new Set([0]));
  });

  it('puts the data of each arm back before each of its starts, once where the service is tried', () => {
    // memory.mjs would not have started with what it was left with.
    const resets = readFileSync(join(folder, 'resets.txt'), 'utf8').trimEnd().split('\n');
    const ofRound = ['pgsweep_a0', 'pgsweep_a1', 'pgsweep_a2'];
    expect(resets[0]).toBe('pgsweep_try_service');
    expect(resets.slice(1, 4).sort()).toEqual(ofRound);
    expect(resets.slice(4).sort()).toEqual(ofRound);
  });

  it('has nothing of Postgres, and says so', () => {
    expect(records.filter(({ type }) => type === 'counters')).toEqual([]);
    const changes = summary.comparisons.filter(({ metric }) => metric === 'xact_commit_per_request');
    expect(changes.map(({ control, value }) => [control, value])).toEqual([[null, null]]);
    const [note] = summary.notes.filter(({ kind }) => kind === 'own-databases');
    expect(note).toEqual({ kind: 'own-databases', variants: ['A', 'B'], all: true, kept: [] });
    if (note?.kind !== 'own-databases') throw new Error('there is no such note');
    expect(warningWords(note)).toMatch(/^the service has no Postgres of the bench: no counters, statements, WAL/);
    expect(scenarioFacts(journal.run.scenario)).toContainEqual(['database', 'none of the bench']);
    expect(scenarioFacts(journal.run.scenario)).toContainEqual(['reset', 'node reset.mjs (A, B)']);
  });
});
