import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import type { CommandTarget } from '../../src/journal/scenario-record.ts';
import { markdownTables } from '../../src/judge/external/markdown-tables.ts';
import { effects, type SessionOptions, sessionJournal } from '../judge/between-runs/sessions.ts';
import { unfitOptions } from '../judge/journal-fixture.ts';
import { run } from './in-process.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-compare-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a run folder, and returns it. */
function made(name: string, options: SessionOptions = {}): string {
  const path = join(folder, name);
  mkdirSync(path);
  const { run: head, records } = sessionJournal(name, { rounds: 4, ...options });
  const journal = openJournal(join(path, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  return path;
}

const target: CommandTarget = {
  kind: 'command',
  command: '',
  cwd: '/srv',
  env: {},
  ready: '/',
  readyTimeoutMs: 1000,
  stopTimeoutMs: 1000,
  portVariable: 'PORT',
  databaseUrlVariable: 'DATABASE_URL',
};

/** In this thread, which is quicker; the usual way is tried once. */
const compared = (...args: string[]) => run('compare', '--no-limits', ...args);

describe('pgsweep compare', () => {
  it('shows both runs side by side, with both deltas, and how the change differs', async () => {
    const base = made('main', { effect: effects({ b: Math.log(1.3) }) });
    const head = made('branch', { hour: 1, effect: effects({ b: Math.log(1.02), machine: 0.1 }) });
    const { code, out, err } = await run('compare', base, head);
    expect([code, err]).toEqual([0, '']);
    const [levels, changes] = markdownTables('out', out);
    expect(levels?.head).toEqual(['variant', 'base', 'head', 'Delta']);
    expect(levels?.rows.map(({ cells }) => cells[0])).toEqual(['a', 'b', 'Delta']);
    const [, , , ofControl] = levels?.rows[0]?.cells ?? [];
    expect(ofControl).toMatch(/^\+\d+\.\d % no verdict$/);
    const [, inBase, inHead, between] = levels?.rows[2]?.cells ?? [];
    expect(inBase).toMatch(/^\+\d\d\.\d % \[.*\] higher$/);
    expect(inHead).toMatch(/%.*(noise|same|higher)$/);
    expect(between).toMatch(/^-2\d\.\d % \[.*\] lower$/);
    expect(changes?.head).toEqual(['metric', 'variant', 'base', 'head', 'head against base']);
    expect(changes?.rows.map(({ cells }) => cells[0])).toEqual(expect.arrayContaining(['mean ms', 'bytes/s']));
    for (const { cells } of changes?.rows ?? []) expect(cells[4]).toMatch(/(higher|lower)$/);
    expect(out).toMatch(/Of \d+ other changes: .*the same.*; --csv has all/);
    expect(out).toContain('Nothing that is recorded differs.');
    expect(out).toContain('Levels of head against base have no verdict: these are different sessions');
    expect(out).toContain('pgsweep compare --base base-* --head head-* --planned 4');
    expect(readdirSync(base)).toEqual(['journal.jsonl']);
  });

  it('shows the metric by which the runs are judged', async () => {
    const ofCount: SessionOptions['changed'] = (record) => {
      const load = { ...record.scenario.load, bounded: { count: 900, limitMs: 60_000 } };
      return { ...record, scenario: { ...record.scenario, load } };
    };
    const { code, out } = await compared(
      made('count-main', { changed: ofCount }),
      made('count-branch', { changed: ofCount, hour: 1 }),
    );
    expect([code, out]).toEqual([0, expect.stringContaining('25 connections: time, ms')]);
    const plain = await compared('--base', made('rps-main'), '--head', made('rps-branch', { hour: 1 }));
    expect(plain.out).toContain('25 connections: 2xx/s');
  });

  it('compares changes against another variant, also of runs whose controls differ', async () => {
    const base = made('against-main', { effect: effects({ b: Math.log(1.3) }) });
    const changed: SessionOptions['changed'] = (record) => ({
      ...record,
      scenario: { ...record.scenario, control: 'b' },
    });
    const head = made('against-branch', { hour: 1, effect: effects({ b: Math.log(1.02) }), changed });
    expect((await compared(base, head)).out).toContain('Changes are against different controls');
    const gated = await compared(base, head, '--gate', 'rps > -5%', '--gate-on', 'changes');
    expect([gated.code, gated.err]).toEqual([2, expect.stringContaining('--control VARIANT')]);
    const { code, out } = await compared(base, head, '--control', 'b');
    expect(code).toBe(0);
    expect(out).toContain('Changes are against b, chosen after the runs');
    const { changes } = JSON.parse((await compared(base, head, '--control', 'b', '--json')).out);
    expect(new Set(changes.map(({ variant }: { readonly variant: string }) => variant))).toEqual(new Set(['a']));
  });

  it('names what differs, and prints JSON and CSV', async () => {
    const base = made('here');
    const head = made('there', {
      hour: 1,
      changed: (record) => ({ ...record, provenance: { ...record.provenance, cpuModel: '=Other CPU' } }),
    });
    const { out } = await compared(base, head);
    expect(markdownTables('out', out)[0]?.rows.map(({ cells }) => cells)).toEqual([
      ['machine', 'cpuModel', 'Fixture CPU', '=Other CPU'],
    ]);
    expect(out).toContain('What differs (machine) cannot be a variant of one sweep.');
    const json = JSON.parse((await compared(base, head, '--json')).out);
    expect(json).toMatchObject({
      version: 1,
      sessions: { base: [{ place: base, id: 'here', rounds: 4 }], head: [{ place: head }] },
      differences: [{ area: 'machine', place: 'cpuModel' }],
      control: 'a',
      order: { kind: 'single' },
      settling: { kind: 'in-turn', area: 'machine' },
    });
    const rows = parse((await compared(base, head, '--csv')).out, { columns: true }) as Record<string, string>[];
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['change', 'level']));
    const level = rows.find(
      ({ kind, metric, variant }) => kind === 'level' && metric === 'requests_per_s' && variant === 'a',
    );
    expect(level).toMatchObject({
      verdict: 'noise',
      interval_low_percent: '',
      note: expect.stringContaining('different sessions'),
    });
  });

  it('shows the part of two commands that differs, as code', async () => {
    const started = (name: string, hour: number, command: string): string =>
      made(name, {
        hour,
        changed: ({ scenario, ...record }) => ({
          ...record,
          scenario: { ...scenario, target: { ...target, command } },
        }),
      });
    const release = (version: string) =>
      `cd /srv/a-folder-with-a-long-name && PORT=$PORT exec npx postgraphile@${version} --host 127.0.0.1 --port $PORT --watch-never`;
    const { out } = await compared(started('r1', 0, release('4.12.12')), started('r2', 1, release('4.14.0')));
    const row = markdownTables('out', out)[0]?.rows.find(({ cells }) => cells[1] === 'target.command');
    expect(row?.cells.slice(2)).toEqual(['…postgraphile@4.12.12 --host 127.…', '…postgraphile@4.14.0 --host 127.…']);
    const both = await compared(started('c1', 2, 'PORT=$PORT a `b`'), started('c2', 3, 'PORT=$PORT c'));
    expect(both.out).toMatch(/\| `` PORT=\$PORT a `b` `` +\| `PORT=\$PORT c` /);
    expect(`${out}${both.out}`).not.toMatch(/&#36;|\\`/);
  });

  it('judges levels of four runs a side that were taken in turn', async () => {
    const runs = [...'ABBAABBA'].map((side, hour) =>
      made(`${side}-${hour}`, { hour, effect: effects({ machine: side === 'B' ? -0.15 : 0 }) }),
    );
    const of = (side: string): string[] => runs.filter((path) => path.includes(`/${side}-`));
    const args = ['--base', ...of('A'), '--head', ...of('B'), '--planned', '4'];
    const { code, out } = await compared(...args);
    expect(code).toBe(0);
    expect(out).toContain('Levels of head against base are judged from 4 pairs of sessions');
    expect(markdownTables('out', out)[0]?.rows[0]?.cells[3]).toMatch(/^-1\d\.\d % \[.*\] lower$/);
    expect(out).toMatch(/\(mean of 4 runs\)/);
  });

  it('ends with 3 where a session is unfit, and says which', async () => {
    const unfit = made('unfit', unfitOptions);
    const { code, out } = await compared(made('fit'), unfit);
    expect(code).toBe(3);
    expect(out).toContain(`Unfit session ${unfit}, no verdicts`);
  });

  it('ends with 3 by load level: where none can be compared, or where a gate is on one that cannot', async () => {
    const connections = [1, 25];
    const without = (lost: number): SessionOptions => ({
      connections,
      voided: (cell) => (cell.connections === lost ? ['failed requests'] : []),
    });
    const [fit, at1, at25] = [made('all-fit', { connections }), made('at-1', without(1)), made('at-25', without(25))];
    const { code, out } = await compared(fit, at25);
    expect(code).toBe(0);
    expect(out).toContain(`No verdicts at a load level of ${at25}: 25 connections: `);
    expect(out).not.toContain('Unfit session');
    expect((await compared(at1, at25)).code).toBe(3);
    const gate = ['--gate-on', 'changes', '--gate', 'rps > -90%'];
    expect((await compared(fit, at25, ...gate)).code).toBe(3);
    expect((await compared(fit, at25, ...gate.slice(0, -1), 'rps > -90% at 1')).code).toBe(0);
  });

  it('has gates: of levels, which are unclear between two runs, or of how changes differ', async () => {
    const base = made('gate-base', { effect: effects({ b: 0.3 }) });
    const head = made('gate-head', { hour: 1, effect: effects({ b: 0 }) });
    const levels = await compared(base, head, '--gate', 'rps > -50% of b');
    expect([levels.code, levels.out]).toEqual([4, expect.stringContaining('Gate rps > -50% of b is unclear for b')]);
    expect(levels.err).toContain('different sessions');
    expect((await compared(base, head, '--gate', 'rps > -50%', '--gate-unclear', 'pass')).code).toBe(0);
    const changes = await compared(base, head, '--gate', 'rps > -10%', '--gate-on', 'changes');
    expect([changes.code, changes.out]).toEqual([4, expect.stringContaining('Gate rps > -10% fails for b')]);
    expect((await compared(head, base, '--gate', 'rps > -10%', '--gate-on', 'changes')).code).toBe(0);
    for (const on of ['levels', 'changes']) {
      const missing = await compared(base, head, '--gate', 'duration_ms < 5%', '--gate-on', on);
      expect([on, missing.code, missing.err]).toEqual([on, 4, expect.stringMatching(/is unclear: .*not measured/)]);
    }
    const unknown = await compared(base, head, '--gate', 'rps > -10% of a', '--gate-on', 'changes');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('there is no variant a to be gated')]);
  });

  it('reads what probes counted: WAL bytes do not differ where images of pages may explain it', async () => {
    const images = (name: string, factor: number): string =>
      made(name, {
        hour: factor,
        requestsPerSecond: 125,
        effect: effects({ b: Math.log(factor) }),
        // Of each 5,000 requests of the control; b has as many images for more requests.
        work: ({ variant }) => ({
          serviceCpuMs: 1,
          postgresCpuMs: 1,
          walBytes: 500 + (7900 * 1000) / (5000 * (variant === 'b' ? factor : 1)),
        }),
        probes: () => ({ 'pg-stat-statements': { statement_wal_images: 1000 } }),
      });
    const { out } = await compared(images('as-fast', 1), images('faster', 1.3), '--json');
    const { changes } = JSON.parse(out) as { readonly changes: readonly { metric: string; verdict: string }[] };
    const wal = changes.find(({ metric }) => metric === 'wal_bytes_per_request');
    expect(wal).toMatchObject({ verdict: 'noise', differencePercent: expect.closeTo(-17, -1) });
  });

  it.each<[string, () => string[], string]>([
    ['one folder', () => [made('only')], 'expected two run folders'],
    ['three folders', () => [made('one'), made('two'), made('three')], 'expected two run folders'],
    ['a side alone', () => ['--base', made('alone')], 'expected two run folders, or --base and --head'],
    [
      'both ways at once',
      () => [made('x'), made('y'), '--base', made('z'), '--head', made('w')],
      'expected two run folders',
    ],
    ['no folder', () => [join(folder, 'nowhere'), made('somewhere')], 'nowhere'],
    ['the same run twice', () => [join(folder, 'only'), join(folder, 'only', 'journal.jsonl')], 'are the same run'],
    [
      'nothing in common',
      () => [join(folder, 'one'), made('c', { variants: ['c', 'd'], control: 'c' })],
      'no variant is in all of these runs',
    ],
    [
      'an unknown metric',
      () => [join(folder, 'one'), join(folder, 'two'), '--metric', 'speed'],
      'Expected a metric such as rps',
    ],
  ])('refuses %s', async (_, args, message) => {
    const { code, out, err } = await compared(...args());
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('shows names of others as text, and makes no path of them', async () => {
    const hostile = [
      '=1+1',
      '\u001b[2J\u202eevil',
      '<img src=x>](http://evil.example) | `x`',
      '../../../etc/passwd',
      '__proto__',
    ];
    const options: SessionOptions = {
      variants: ['a', ...hostile],
      title: hostile.join(' '),
      changed: (record) => ({ ...record, provenance: { ...record.provenance, kernel: `\u001b[31m${record.id}|<b>` } }),
    };
    const [base, head] = [made('hostile-1', options), made('hostile-2', { ...options, hour: 1 })];
    const before = readdirSync(folder).sort();
    for (const args of [[], ['--json'], ['--csv']]) {
      const { code, out } = await compared(base, head, ...args);
      expect(code).toBe(0);
      expect(out.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)?.index ?? 'none').toBe('none');
      if (args.length === 0) {
        expect(out.replace(/<!-- -->/g, '')).not.toMatch(/<(?!!)|(?<!\\)\]\(/);
        for (const { cells } of markdownTables('out', out).flatMap(({ rows }) => rows))
          expect(cells.length).toBeLessThanOrEqual(5);
      }
    }
    const csv = (await compared(base, head, '--csv')).out;
    for (const cell of csv.split(/[,;\t\n]/).map((one) => one.trim().replace(/^"+/, '')))
      if (!/^-?[\d.e+-]+$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@]/);
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
