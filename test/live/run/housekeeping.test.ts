import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { notesWords } from '../../../src/report/words/note-words.ts';
import { runLive } from '../../support/live-run.ts';
import { fixtures } from '../diagnosis/live-session.ts';

/** Each insert writes 100 KB of WAL besides: a server of 32 MB has a checkpoint after 170 of them. */
const heavy = `CREATE TABLE items (id bigint PRIMARY KEY, name text NOT NULL);
CREATE TABLE filler (text text);
ALTER TABLE filler ALTER text SET STORAGE EXTERNAL;
CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO filler VALUES (repeat('x', 100000)); RETURN NEW; END $$;
CREATE TRIGGER fill AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION fill();
`;

const text = (data: string): string => `title: checkpoints
target: { command: ${JSON.stringify(`exec node ${fixtures}/mistaken.mjs`)} }
dataset: { sql: ${JSON.stringify(data)} }
variants:
  Small: { settings: { max_wal_size: 32MB } }
  Changed pages: { settings: { max_wal_size: 32MB, full_page_writes: off } }
  Usual: {}
control: Small
rounds: { min: 4, max: 4 }
load: { connections: 4, slice: 3s, drop: 200ms, warmup: 500ms, requests: [{ method: POST, path: /items, body: { id: "\${unique}", name: item } }] }
`;

it('has no verdict where an arm had no checkpoints, and can have one where each had them', async () => {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-heavy-'));
  try {
    const data = join(path, 'heavy.sql');
    writeFileSync(data, heavy);
    const run = { text: text(data), file: 'heavy.yaml', path: join(path, 'run') };
    const warnings: string[] = [];
    const folder = await runLive(run, {
      decideStop: (round) => ({ stop: round >= 4, undecided: 0 }),
      emit: (event) => event.kind === 'warning' && warnings.push(event.warning.kind),
    });
    expect(warnings).toContain('housekeeping');
    const summary = summarize(readJournal(folder.journal));
    const { provenance, passes, session, notes } = summary;
    expect(Object.keys(provenance.postgresSettings)).not.toContain('autovacuum');
    expect(Object.keys(provenance.postgresSettings)).not.toContain('checkpoint_timeout');
    expect(notes.map(({ kind }) => kind)).toContain('housekeeping');
    expect(passes).toMatchObject([{ wholeSlices: { 'turned off': 4 } }]);
    expect(session.disturbance.checkpoints).toBeGreaterThan(5);

    // A row within a whole slice has the load so far.
    const [, ...rows] = readFileSync(folder.samples, 'utf8').trim().split('\n');
    const own = rows.map((row) => row.split(',')).filter(([, , arm, , sliceArm]) => arm === sliceArm);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(([, , , , , loadS]) => !(Number(loadS) > 0))).toEqual([]);

    const littleOf = (variant: string): string[] =>
      rateOf(summary, variant).notes.flatMap((note) =>
        note.kind === 'little-housekeeping' ? [notesWords([note])] : [],
      );
    expect(littleOf('Changed pages')).toEqual([]);
    expect(littleOf('Usual')).toEqual([
      expect.stringMatching(/^no verdict: needs at least 2 checkpoints .*\(had 0, control [1-9]\d*\)/),
    ]);
    expect(rateOf(summary, 'Usual').interval).toBeNull();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});

function rateOf({ comparisons }: Summary, variant: string): Summary['comparisons'][number] {
  const found = comparisons.find((one) => one.variant === variant && one.metric === 'requests_per_s');
  if (found === undefined) throw new Error(`no rate of ${variant}`);
  return found;
}
