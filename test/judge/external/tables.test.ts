import { describe, expect, it } from 'vitest';
import { markdownTables } from '../../../src/judge/external/markdown-tables.ts';
import { parseNumber } from '../../../src/judge/external/numbers.ts';
import { csvTable } from '../../../src/judge/external/read-files.ts';
import { type GridOptions, readGrid } from '../../../src/judge/external/read-grid.ts';
import type { ExternalRun, Grid } from '../../../src/judge/external/types.ts';

const against = (control: string, more: Partial<GridOptions> = {}): GridOptions => ({
  control,
  by: [],
  time: null,
  ...more,
});
const values = (run: ExternalRun | undefined): Record<string, number> => Object.fromEntries(run?.values ?? []);
const read = (grid: Grid | undefined, options: GridOptions) => (grid === undefined ? null : readGrid(grid, options));

describe('a number', () => {
  it.each([
    ['16,048.36', 16_048.36, '', 0.01],
    ['44 ms', 44, 'ms', 1],
    ['-3.57%', -3.57, '%', 0.01],
    ['.5', 0.5, '', 0.1],
    ['1e3', 1000, '', 1000],
    ['5.35req/sec', 5.35, 'req/sec', 0.01],
    ['00:01:34.2', 94.2, 's', 0.1],
    ['−3.5 %', -3.5, '%', 0.1],
    ['12.5 ms ± 0.3 ms', 12.5, 'ms', 0.1],
    ['1.25 ± 0.05', 1.25, '', 0.01],
    ['310.5µ ± 2%', 310.5, 'µ', 0.1],
    ['4.00 ± ∞', 4, '', 0.01],
  ])('%s', (text, value, unit, step) => {
    expect(parseNumber(text)).toEqual({ value, unit, step });
  });

  it.each(['12,5', '', 'timeout', '1.2.3', '1,00', 'v9.11.16', '--5'])('is not %j', (text) => {
    expect(parseNumber(text)).toBeNull();
  });
});

describe('Markdown', () => {
  const text = `# Pool sizes

Some words.

### 25 connections

||Request|Latency
| :--- | ---: | ---: |
Pool: 10|46.5|1,000
**Pool: 25** |44.2|\`1,100\`

| Test     | v1.0.0 | v1.1.0 | Delta |
| -------- | ------ | ------ | ----- |
| SQLite   | 10,000 | 11,000 | 10%   |
| Delta    | 3%     | 4%     |       |
`;

  it('is read with lines and headings, whether rows have borders or not', () => {
    const [one, two] = markdownTables('report.md', text);
    expect(one).toEqual({
      title: '25 connections',
      file: 'report.md',
      line: 7,
      head: ['', 'Request', 'Latency'],
      rows: [
        { line: 9, cells: ['Pool: 10', '46.5', '1,000'] },
        { line: 10, cells: ['Pool: 25', '44.2', '1,100'] },
      ],
    });
    expect(two?.line).toBe(12);
    expect(two?.rows.map(({ line }) => line)).toEqual([14, 15]);
  });

  it('keeps its lines behind Windows line ends, code and quotes', () => {
    const windows = '```\n| no | table |\n|--|--|\n```\n\n> quoted\n\n| a | b |\n|--|--|\n| x | 1 |\n'.replaceAll(
      '\n',
      '\r\n',
    );
    expect(markdownTables('t.md', windows).map(({ line, rows }) => [line, rows.map((row) => row.line)])).toEqual([
      [8, [10]],
    ]);
  });

  it('refuses a row with a stray cell, or one too few, with its line', () => {
    const stray = '|| Request | Latency\n|--|--|--|\nPool: 25|0.44%|-0.49%|0.40%\n';
    expect(() => markdownTables('t.md', stray)).toThrow('t.md:3: the row has 4 cells, the head of the table 3');
    expect(() => markdownTables('t.md', '| a | b |\n|--|--|\n| x | 1 |\n| y |\n')).toThrow(
      't.md:4: the row has 1 cells',
    );
  });

  it('refuses dashes that do not match the head, which GitHub takes for no table', () => {
    const broken = 'text\n\n| a | b | c |\n|--|--|\n| x | 1 | 2 |\n';
    expect(() => markdownTables('t.md', broken)).toThrow('t.md:4: the line of dashes has 2 cells, the head above it 3');
  });

  it('takes an escaped pipe for text', () => {
    expect(markdownTables('t.md', '| a | b |\n|--|--|\n| x \\| y | 1 |\n')[0]?.rows[0]?.cells).toEqual(['x | y', '1']);
  });
});

describe('CSV', () => {
  it('is divided by what its head has most of', () => {
    expect(csvTable('t.csv', 'variant;rps\nbase;100\n').rows).toEqual([{ line: 2, cells: ['base', '100'] }]);
    expect(csvTable('t.csv', 'variant\trps\nbase\t100\n').head).toEqual(['variant', 'rps']);
    expect(csvTable('t.csv', '\ufeffvariant,rps\r\n"a, b",100\r\n').rows[0]?.cells).toEqual(['a, b', '100']);
  });

  it('refuses rows of another length, and quotes that do not end, with the line', () => {
    expect(() => csvTable('t.csv', 'v,rps\na,1\n\nb,2,3\n')).toThrow(
      't.csv:4: the row has 3 cells, the head of the table 2',
    );
    expect(() => csvTable('t.csv', 'v,rps\na,1\nb,"2\n')).toThrow(/^t\.csv:\d: /);
    expect(() => csvTable('t.csv', '')).toThrow('t.csv: the table is empty');
  });

  it('takes off the apostrophe with which our own CSV guards a formula', () => {
    expect(csvTable('t.csv', "v,rps\n'-jit,1\n").rows[0]?.cells).toEqual(['-jit', '1']);
  });
});

describe('a table', () => {
  const grid = csvTable(
    't.csv',
    'Test,Commits,Rollbacks,Delta,Notes\nControl,256.3,0,,fine\nPool 25,258.2,4.01,0.7%,x\n',
  );

  it('has the control as a row: columns are metrics, and changes and texts are left out', () => {
    const [group] = readGrid(grid, against('Control')) ?? [];
    expect(group?.runs.map(({ variant, place }) => [variant, place])).toEqual([
      ['Control', 't.csv:2'],
      ['Pool 25', 't.csv:3'],
    ]);
    expect(values(group?.runs[1])).toEqual({ Commits: 258.2, Rollbacks: 4.01 });
    expect(group?.leftOut).toEqual([
      { name: 'Delta', why: 'changes' },
      { name: 'Notes', why: 'no-numbers' },
    ]);
    expect(group?.variantsAcross).toBe(false);
  });

  it('has the control as a column: rows are metrics, each with its unit', () => {
    const across = markdownTables(
      't.md',
      '| Test | v1 | v2 | Delta |\n|-|-|-|-|\n| SQLite | 100 | 110 | 10% |\n| p95 | 9 ms | 8 ms | x |\n| Delta | 3% | 4% | |\n',
    )[0];
    const [group] = read(across, against('v1')) ?? [];
    expect(group?.metrics).toEqual([
      { name: 'SQLite', unit: '', rounding: { below: 0.5, above: 0.5 } },
      { name: 'p95', unit: 'ms', rounding: { below: 0.5, above: 0.5 } },
    ]);
    expect(group?.runs.map((run) => [run.variant, values(run)])).toEqual([
      ['v1', { SQLite: 100, p95: 9 }],
      ['v2', { SQLite: 110, p95: 8 }],
    ]);
    expect(group?.leftOut).toEqual([
      { name: 'Delta', why: 'changes' },
      { name: 'Delta', why: 'changes' },
    ]);
  });

  it('leaves out changes, by their names and by the signs of their numbers', () => {
    const changes = (head: string, control: string, other: string) =>
      readGrid(csvTable('t.csv', `v;rps;${head}\na;10;${control}\nb;12;${other}\n`), against('a'))?.[0]?.leftOut;
    const left = (name: string) => [{ name, why: 'changes' }];
    for (const head of [
      'Δ RPS',
      'ΔRPS',
      'Change (%)',
      'p99 change',
      'vs base',
      'Diff',
      '% of base',
      'Relative',
      'Speedup',
    ])
      expect(changes(head, '1.00', '1.20')).toEqual(left(head));
    expect(changes('RPS %', '-', '+21.2%')).toEqual(left('RPS %'));
    expect(changes('drift', '0 %', '+3%')).toEqual(left('drift'));
    expect(changes('temperature', '-3', '4')).toEqual([]);
    expect(changes('exchanges', '3', '4')).toEqual([]);
    const across = csvTable('t.csv', 'metric;a;b;gain\nrps;10;12;+20 %\np99;9;8;-11 %\nnet;-;+20 %;+1 %\n');
    expect(readGrid(across, against('a'))?.[0]).toMatchObject({
      metrics: [{ name: 'rps' }, { name: 'p99' }],
      leftOut: [
        { name: 'gain', why: 'changes' },
        { name: 'net', why: 'changes' },
      ],
    });
  });

  it('has numbers rounded to the finest place of their metric', () => {
    const [group] = readGrid(csvTable('t.csv', 'variant,ms\nbase,2\nbase,1.97\nhead,2.5\n'), against('base')) ?? [];
    expect(group?.metrics[0]?.rounding).toEqual({ below: 0.005, above: 0.005 });
  });

  it.each([
    ['12,5', 'Write 12.5.'],
    ['1.234,5 ms', 'Write 1234.5 ms.'],
  ])('of decimal commas alone (%s) is refused with its line, in CSV as in Markdown', (written, hint) => {
    const refused = expect.objectContaining({ message: expect.stringMatching(/^t\.\w+:[23]: .* is no number$/), hint });
    const csv = csvTable('t.csv', `variant;rps\nbase;${written}\nhead;-\n`);
    expect(() => readGrid(csv, against('base'))).toThrow(refused);
    const [markdown] = markdownTables('t.md', `| variant | rps |\n|-|-|\n| base | ${written} |\n| head | - |\n`);
    expect(() => read(markdown, against('base'))).toThrow(refused);
  });

  it('refuses a metric that stands twice, as a column or as a row, with the line; texts may', () => {
    const columns = 'variant,p50,p99,p50,p99\nbase,10,20,100,200\nhead,11,22,90,180\n';
    expect(() => read(csvTable('t.csv', columns), against('base'))).toThrow('t.csv:1: p50 stands twice');
    const rows = 'metric,base,head\np50,10,11\np50,100,90\n';
    expect(() => read(csvTable('t.csv', rows), against('base'))).toThrow('t.csv:3: p50 stands twice');
    const texts = csvTable('t.csv', 'variant,note,p50,note\nbase,old,10,plain\nhead,new,11,odd\n');
    expect(read(texts, against('base'))?.[0]?.metrics.map(({ name }) => name)).toEqual(['p50']);
  });

  it('is divided by the columns that say what may be compared', () => {
    const rows = csvTable('t.csv', 'variant,connections,rps\nbase,1,10\nhead,1,11\nbase,25,90\nhead,25,80\n');
    const groups = readGrid(rows, against('base', { by: ['connections'] })) ?? [];
    expect(groups.map(({ title, runs }) => [title, runs.map((run) => values(run).rps)])).toEqual([
      ['connections 1', [10, 11]],
      ['connections 25', [90, 80]],
    ]);
  });

  it('has times where a column is named so and all of it are times', () => {
    const timed = csvTable('t.csv', 'variant,time,rps\nbase,2026-01-31T10:00:00Z,10\nhead,2026-01-31T10:01:00Z,11\n');
    expect(readGrid(timed, against('base'))?.[0]?.runs.map(({ taken }) => taken?.startMs)).toEqual([
      Date.UTC(2026, 0, 31, 10, 0),
      Date.UTC(2026, 0, 31, 10, 1),
    ]);
    // Here it is a duration, which is a metric.
    const durations = csvTable('t.csv', 'variant,time\nbase,00:01:34.2\nhead,00:01:30.0\n');
    expect(readGrid(durations, against('base'))?.[0]?.metrics).toMatchObject([{ name: 'time', unit: 's' }]);
  });

  it.each([
    ['ns', '123456789', '118234567'],
    ['ns of years apart', '1203456789', '1603456789'],
    ['ns beyond today', '5203456789', '5203456999'],
    ['us', '123456789012', '118234567012'],
  ])('has durations in %s as a metric, unless --time names their column', (_, base, head) => {
    const table = csvTable('t.csv', `variant,time,allocs\nbase,${base},10\nhead,${head},11\n`);
    const [group] = readGrid(table, against('base')) ?? [];
    expect(group?.metrics.map(({ name }) => name)).toEqual(['time', 'allocs']);
    expect(group?.runs.map(({ taken }) => taken)).toEqual([null, null]);
    expect(readGrid(table, against('base', { time: 'time' }))?.[0]?.runs[0]?.taken).not.toBeNull();
  });

  it.each([
    ['1769853600', '1769853660.5'],
    ['1769853600000', '1769853660500'],
  ])('has times of seconds or milliseconds since 1970: %s', (base, head) => {
    const table = csvTable('t.csv', `variant,time,rps\nbase,${base},10\nhead,${head},11\n`);
    const startMs = Date.UTC(2026, 0, 31, 10, 0);
    expect(readGrid(table, against('base'))?.[0]?.runs.map(({ taken }) => taken?.startMs)).toEqual([
      startMs,
      startMs + 60_500,
    ]);
  });

  it('keeps what stands for a number that there is none of', () => {
    const [group] = readGrid(csvTable('t.csv', 'v,rps\nv5,4.92\nv6,timeout\n'), against('v5')) ?? [];
    expect(group?.runs[1]?.texts.get('rps')).toBe('timeout');
  });

  it('refuses what is no number, another unit, an unknown column and a wrong time, with the line', () => {
    const refused =
      (text: string, more: Partial<GridOptions> = {}) =>
      () =>
        readGrid(csvTable('t.csv', text), against('a', more));
    expect(refused('v,rps\na,1\nb,fast\n')).toThrow('t.csv:3: "fast" of b (rps) is no number');
    expect(refused('v,ms\na,1 ms\nb,2 s\n')).toThrow('t.csv:3: b (ms) is in s, others in ms');
    expect(refused('v,ms\na,1\n', { by: ['load'] })).toThrow('t.csv:1: the table has no column load');
    expect(refused('v,t,ms\na,noon,1\n', { time: 't' })).toThrow('t.csv:2: "noon" is no time');
  });

  it('is passed over where it does not have the control', () => {
    expect(readGrid(grid, against('Nobody'))).toBeNull();
  });
});
