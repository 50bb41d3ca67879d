import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { neededBy } from '../../../src/cli/against/needed-by.ts';
import { openJournal } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'pgsweep-needed-'));
});
afterEach(() => rmSync(top, { recursive: true }));

const AT = '2026-01-31T10:00:00.000Z';
const failed = (code: string): JournalRecord => ({ type: 'failed', at: AT, code, message: 'why' });

/** True if a snapshot is kept for a run of so many rounds with these records at its end. */
function isNeeded({ rounds = 2, end = [] as JournalRecord[], of = 'snapshot' } = {}): boolean {
  const run = join(top, 'run');
  mkdirSync(run);
  const journal = fixtureJournal({ rounds });
  const work = { commit: 'c2', changed: 0, removed: 0, added: 0, folder: '/cache/side/tree' };
  const commits = [{ ref: 'main', commit: 'c1', at: 'tip' as const, folder: join(top, of, 'tree') }];
  const taken = { repository: '/repo', commits, work, schemaFiles: [] };
  const against = { refs: ['main'], carry: [], own: [], taken };
  const writer = openJournal(join(run, 'journal.jsonl'));
  writer.append({ ...journal.run, scenario: { ...journal.run.scenario, against } });
  for (const record of [...journal.records.filter(({ type }) => type !== 'end'), ...end]) writer.append(record);
  writer.close();
  return neededBy({ folder: join(top, 'snapshot'), runs: [join(top, 'gone'), run] }) === run;
}

describe('a snapshot is kept for', () => {
  it('a run that was killed, or interrupted', () => {
    expect(isNeeded()).toBe(true);
    rmSync(join(top, 'run'), { recursive: true });
    expect(isNeeded({ end: [failed('interrupted')] })).toBe(true);
  });

  it('no run that has ended, would fail again, or has other snapshots', () => {
    const cases = [
      { end: [{ type: 'end', at: AT, reason: 'rounds' } as const] },
      { end: [failed('dataset')] },
      { of: 'x' },
    ];
    for (const one of cases) {
      expect(isNeeded(one), JSON.stringify(one)).toBe(false);
      rmSync(join(top, 'run'), { recursive: true });
    }
  });

  it('a run whose journal cannot be read by this release', () => {
    mkdirSync(join(top, 'run'));
    writeFileSync(join(top, 'run', 'journal.jsonl'), '{"type":"run","version":99}\n');
    const runs = [join(top, 'run')];
    expect(neededBy({ folder: join(top, 'snapshot'), runs })).toBe(runs[0]);
  });

  it('no run whose folder or journal is gone', () => {
    expect(neededBy({ folder: join(top, 'snapshot'), runs: [join(top, 'gone'), top] })).toBeUndefined();
  });
});
