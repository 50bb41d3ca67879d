import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import type { Summary } from '../../src/judge/summary.ts';
import { changed, type ShardsOptions, shardJournals } from '../judge/between-runs/merge/shards.ts';
import type { FixtureJournal } from '../judge/journal-fixture.ts';
import { small } from '../judge/small-run.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-merge-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes run folders of shards, and returns them. */
function made(name: string, options: Partial<ShardsOptions> = {}, change = (one: FixtureJournal) => one): string[] {
  const planted = { ...small, rounds: 8, effect: ({ variant }: { variant: string }) => (variant === 'b' ? 0.1 : 0) };
  return shardJournals({ ...planted, count: 2, ...options }).map((shard, place) => {
    const path = join(folder, `${name}-${place + 1}`);
    mkdirSync(path);
    const { run: head, records } = change(shard);
    const journal = openJournal(join(path, 'journal.jsonl'));
    for (const record of [head, ...records]) journal.append(record);
    journal.close();
    return path;
  });
}

/** In this thread, which is quicker; the usual way is tried once. */
const merged = (...args: string[]) => run('merge', '--no-limits', ...args);

const summaryIn = (path: string): Summary => JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8'));

describe('pgsweep merge', () => {
  it('writes a run that report judges the same', async () => {
    const out = join(folder, 'merged');
    const shards = made('plain');
    const { code, out: said, err } = await run('merge', ...shards, '--out', out);
    expect([code, err]).toEqual([0, '']);
    expect(said).toContain('8 rounds · from 2 machines, by a fixed plan');
    const summary = summaryIn(out);
    expect(summary.machines?.machines.map(({ name, rounds }) => [name, rounds])).toEqual([
      ['node-1', 4],
      ['node-2', 4],
    ]);
    const report = readFileSync(join(out, 'report.md'), 'utf8');
    expect(report).toContain('Change in 2xx/s, by machine');
    expect(report).toMatch(
      /\| b +\| 25 connections +\| +\+\d+\.\d % \[.*\] \| +\+\d+\.\d % \[.*\] \| +(dis)?agree \(p /,
    );
    const again = await run('report', '--no-limits', out, '--json');
    expect([again.code, JSON.parse(again.out)]).toEqual([0, summary]);
    for (const shard of shards) expect(readdirSync(shard)).toEqual(['journal.jsonl']);
  });

  it('names missing shards, and what its gates say', async () => {
    const [first = ''] = made('alone', { rounds: 12 });
    const { code, out, err } = await merged(first, '--out', join(folder, 'half'), '--gate', 'rps > +50%');
    expect(code).toBe(4);
    expect(err).toContain('rps > +50%');
    expect(out).toContain('Not all rounds of the plan are here: shard 2 is missing (of 2 shards)');
  });

  it('makes no folder of what does not belong together', async () => {
    const [first = ''] = made('one');
    const [, second = ''] = made('other', {}, (one) => changed(one, (head) => ({ ...head, seed: 3 })));
    const out = join(folder, 'none');
    const { code, err } = await merged(first, second, '--out', out);
    expect(code).toBe(2);
    expect(err).toContain('are not of one plan: seed (647, 3) differ');
    expect(readdirSync(folder)).not.toContain('none');
    const whole = await merged(join(folder, 'merged'), '--out', out);
    expect([whole.code, whole.err]).toEqual([2, expect.stringContaining('was merged already')]);
    const taken = await merged(first, '--out', first);
    expect([taken.code, taken.err]).toEqual([2, expect.stringContaining('already holds a run')]);
    const resumed = await run('sweep', '--resume', join(folder, 'merged'));
    expect([resumed.code, resumed.err]).toEqual([2, expect.stringContaining('was merged from shards')]);
    const longer = await run('sweep', '--resume', first, '--rounds', '20');
    expect([longer.code, longer.err]).toEqual([2, expect.stringContaining('whose rounds are fixed')]);
  });

  it('leaves no folder where a round is not its shard’s, and names the file that is damaged', async () => {
    const [first = ''] = made('moved', {}, (one) => ({
      ...one,
      records: one.records.map((record) => (record.type === 'round' ? { ...record, round: record.round + 1 } : record)),
    }));
    const out = join(folder, 'nothing');
    const { code, err } = await merged(first, '--out', out);
    expect([code, err]).toEqual([2, expect.stringContaining('does not belong to shard 1 of 2')]);
    expect(readdirSync(folder)).not.toContain('nothing');
    const [torn = '', whole = ''] = made('torn', { rounds: 16 });
    const file = join(torn, 'journal.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.filter((_, line) => line !== 4).join('\n'));
    const refused = await merged(torn, whole, '--out', out);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`${file}:5: the record of line 6 stands`)]);
    expect(readdirSync(folder)).not.toContain('nothing');
  });

  it('shows names of others as text, and makes no path of them', async () => {
    const names = ['../../../evil', '\u001b[2J\u202e=1+1', '<img src=x>](http://evil.example) | `x`'];
    const hostile = made('hostile', { count: 3, machineOf: (index) => names[index - 1] ?? '' }, (one) =>
      changed(one, (head) => ({ ...head, scenario: { ...head.scenario, name: '../../evil' } })),
    );
    const before = readdirSync(folder).sort();
    const { out } = await merged(...hostile, '--full', '--out', join(folder, 'safe'));
    expect(out).toContain('evil');
    const files = ['report.md', 'report.html'].map((name) => readFileSync(join(folder, 'safe', name), 'utf8'));
    for (const text of [out, ...files]) {
      expect(text.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)?.index ?? 'none').toBe('none');
      expect(text === out ? '' : text).not.toContain('<img');
    }
    expect(readdirSync(folder).sort()).toEqual([...before, 'safe'].sort());
  });
});
