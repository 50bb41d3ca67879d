import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { markdownTables } from '../../src/judge/external/markdown-tables.ts';
import { run } from './in-process.ts';

function folder(files: Readonly<Record<string, string>>): (name: string) => string {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-delta-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return (name) => join(path, name);
}

const pgbench = (tps: number): string => `transaction type: <builtin: select only>
duration: 10 s
number of transactions actually processed: ${Math.round(10 * tps)}
latency average = ${(4000 / tps).toFixed(3)} ms
tps = ${tps.toFixed(6)} (without initial connection time)
`;

/** Files of pgbench whose times are `order`, a letter a run, eleven seconds apart. */
function pgbenchRuns(order: string, rate: (variant: string, run: number) => number): string[] {
  const names = [...order].map((variant, i) => `${variant}-${i + 1}.txt`);
  const at = folder(Object.fromEntries(names.map((name, i) => [name, pgbench(rate(name[0] ?? '', i))])));
  for (const [i, name] of names.entries()) utimesSync(at(name), 0, 1_700_000_000 + 11 * i);
  return names.map(at);
}

describe('pgsweep delta', () => {
  const report = `# Connection pool

## 25 connections

|| Request | Latency | Errors |
| :--- | ---: | ---: | ---: |
Pool: 10|46.0|540.0|0
Pool: 25|44.4|567.0|0
Pool: 50|41.4|607.5|4.01

## Changes

|| Request | Latency |
| :--- | ---: | ---: |
Pool: 25|-3.5%|5.0%
`;

  it('gives the changes of a table that stands in a report, which is a table again', async () => {
    const at = folder({ 'report.md': report });
    const { code, out, err } = await run('delta', at('report.md'), '--control', 'Pool: 10');
    expect(code).toBe(0);
    const [table] = markdownTables('out', out);
    expect(table?.head).toEqual(['variant', 'Request', 'Latency', 'Errors']);
    expect(table?.rows.map(({ cells }) => cells)).toEqual([
      ['Pool: 25', '-3.5 %', '+5.0 %', '0 -> 0'],
      ['Pool: 50', '-10.0 %', '+12.5 %', 'n/a (0 -> 4.01)'],
    ]);
    expect(out).toContain('25 connections: change against Pool: 10');
    expect(out).toContain('No verdict: one value each');
    expect(err).toBe(`Tables without Pool: 10 were left out: ${at('report.md')}:13\n`);
  });

  it('compares columns where these are the variants', async () => {
    const at = folder({
      'v.md':
        '| Test | v1 | v2 | Delta |\n|-|-|-|-|\n| SQLite | 10,600 | 11,236 | 5.9% |\n| p95 | 8 ms | timeout | |\n',
    });
    const { out } = await run('delta', at('v.md'), '--control', 'v1');
    expect(markdownTables('out', out)[0]?.rows.map(({ cells }) => cells)).toEqual([
      ['SQLite', '10,600', '+6.0 %'],
      ['p95 (ms)', '8.00', 'timeout'],
    ]);
    expect(out).toContain('Left out: Delta (changes already).');
  });

  it('writes each number with its own unit in the classic style', async () => {
    const rows = '| requests | 5.31 req/sec | 6 req/sec |\n| latency | 20 ms | 22 ms |\n| users | 4 | 5 |\n';
    const at = folder({ 'v.md': `| Test | v1 | v2 |\n|-|-|-|\n${rows}` });
    const { out } = await run('delta', at('v.md'), '--control', 'v1', '--style', 'classic');
    expect(markdownTables('out', out)[0]?.rows.map(({ cells }) => cells)).toEqual([
      ['requests', '5.31 req/sec', '6 req/sec', '12.99%'],
      ['latency', '20 ms', '22 ms', '10.00%'],
      ['users', '4', '5', '25.00%'],
    ]);
  });

  it('judges files of pgbench that were written in turn, whatever their names', async () => {
    const rates = [800, 804, 796, 802, 798, 801, 797, 803];
    const files = pgbenchRuns('abbaabba', (variant, i) => (rates[i] ?? 0) * (variant === 'b' ? 1.25 : 1));
    const { out } = await run('delta', ...files.sort(), '--control', 'a', '--json');
    const { groups } = JSON.parse(out);
    expect(groups[0].order).toMatchObject({
      kind: 'in-turn',
      rounds: 4,
      outside: 0,
      source: 'file',
      controlFirst: false,
    });
    const [tps] = groups[0].comparisons;
    expect(tps).toMatchObject({ variant: 'b', metric: 'transactions_per_s', verdict: 'higher', rounds: 4 });
    expect(tps.deltaPercent).toBeGreaterThan(24);
    expect(tps.deltaPercent).toBeLessThan(26);
  });

  it('compares nothing in any style where a run of one side had aborted clients', async () => {
    const files = pgbenchRuns('abbaabba', (variant) => (variant === 'b' ? 1000 : 800));
    const aborted = 'number of clients: 4\npgbench: error: client 3 script 0 aborted in command 1 query 0: ERROR\n';
    // Both ways ask for numbers of one unit.
    const rateAlone = (text: string): string => text.replace(/^(latency|duration).*\n/gm, '');
    for (const options of [[], ['--style', 'classic'], ['--two-way'], ['--two-way', '--style', 'classic']]) {
      for (const [i, file] of files.entries()) {
        const text = `${i === 1 ? aborted : ''}${pgbench(file.includes('b-') ? 1000 : 800)}`;
        writeFileSync(file, options.includes('--two-way') ? rateAlone(text) : text);
        utimesSync(file, 0, 1_700_000_000 + 11 * i);
      }
      const { out } = await run('delta', ...files, '--control', 'a', ...options);
      expect(out).toContain('n/a [!]');
      expect(out).toContain('[!] b: 1 of 4 clients ended early by an error, so that none of its numbers is compared.');
      expect(out).not.toMatch(/25\.0/);
    }
  });

  it('gives no verdict where all runs of one came first, and says what to do', async () => {
    const files = pgbenchRuns('aaaabbbb', (variant) => (variant === 'b' ? 1000 : 800));
    const { code, out } = await run('delta', ...files, '--control', 'a');
    expect(code).toBe(0);
    expect(out).toContain('| transactions_per_s | 800.0 | +25.0 % |');
    expect(out).toContain('No verdict: not interleaved. 6 of 8 runs');
    expect(out).toContain('Run them alternately');
  });

  it('gives no verdict where a checkout wrote all files at once', async () => {
    const files = pgbenchRuns('abababab', (variant) => (variant === 'b' ? 1000 : 800));
    for (const [i, file] of files.entries()) utimesSync(file, 0, 1_700_000_000 + i / 100);
    const { out } = await run('delta', ...files, '--control', 'a');
    expect(out).toContain('The times of these files are not the times of the runs');
  });

  it('takes names before files, and prints CSV that no spreadsheet calculates', async () => {
    const at = folder({ 'one.txt': pgbench(800), 'two.txt': pgbench(1000) });
    const { out } = await run(
      'delta',
      `@SUM(1)=${at('two.txt')}`,
      `base=${at('one.txt')}`,
      '--control',
      'base',
      '--csv',
    );
    const [head, first] = out.split('\n');
    expect(head).toBe(
      'group,variant,metric,unit,control,value,delta_percent,interval_low_percent,interval_high_percent,verdict,rounds,note',
    );
    expect(first).toBe("pgbench,'@SUM(1),transactions_per_s,1/s,800,1000,25,,,noise,0,no verdict: one value each");
  });

  it('shows names of others as text', async () => {
    const at = folder({ 't.csv': 'variant,rps\nbase,1\n"<b>|*x*",2\n' });
    const { out } = await run('delta', at('t.csv'), '--control', 'base');
    expect(out).toContain('&lt;b>\\|\\*x\\*');
  });

  it.each([
    ['a missing file', ['nowhere.md', '--control', 'a'], 'nowhere.md cannot be read: ENOENT'],
    ['no control', ['README.md'], "required option '--control <name>' not specified"],
    ['a wrong margin', ['README.md', '--control', 'a', '--margin', 'few'], 'Expected a percentage such as 5'],
    ['another control', ['README.md', '--control', 'nobody'], 'no table has a row or a column nobody'],
    [
      'what is no table',
      ['LICENSE', '--control', 'a'],
      'LICENSE has no table, and is the output of no tool that can be read',
    ],
  ])('refuses %s', async (_, args, message) => {
    const { code, out, err } = await run('delta', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('takes no verdict from what autocannon rounded away, whichever way each run was rounded', async () => {
    const json = (p50: number, index: number): string =>
      JSON.stringify({
        start: new Date(1_700_000_000_000 + 11_000 * index).toISOString(),
        duration: 10,
        '2xx': 100_000,
        non2xx: 0,
        errors: 0,
        timeouts: 0,
        latency: { mean: p50 + 0.2, p50, p99: 9 },
        throughput: { mean: 1e6 },
      });
    const names = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? `base-${i}.json` : `head-${i}.json`));
    const at = folder(Object.fromEntries(names.map((name, i) => [name, json(i % 2 === 0 ? 1 : 2, i)])));
    const { code, out } = await run('delta', ...names.map(at), '--control', 'base', '--json');
    expect(code).toBe(0);
    const p50 = JSON.parse(out).groups[0].comparisons.find(
      ({ metric }: { metric: string }) => metric === 'latency_p50_ms',
    );
    expect(p50).toMatchObject({ deltaPercent: 100, verdict: 'noise' });
    expect(p50.interval[0]).toBeLessThanOrEqual(0);
    expect(p50.interval[1]).toBeGreaterThanOrEqual(200);
    const words = await run('delta', ...names.map(at), '--control', 'base');
    expect(words.out).toContain('the numbers are rounded: that alone may change it by [-50, +50] %');
  });

  it('says of a binary file that it is one', async () => {
    const at = folder({ 'base.csv': 'PK\u0003\u0004\u0000\u0000', 'head.json': '\u0000\u0001' });
    for (const name of ['base.csv', 'head.json']) {
      const { code, err } = await run('delta', at(name), '--control', 'base');
      expect(code).toBe(2);
      expect(err).toContain(`${name} is a binary file`);
    }
  });

  it('refuses files of two tools, a table beside a tool, and names without the control', async () => {
    const wrk =
      '  Thread Stats   Avg\n    Latency     1.00ms\n  10 requests in 1.00s, 1KB read\nRequests/sec:     10.00\n';
    const at = folder({ 'a-1.txt': pgbench(800), 'b-1.txt': wrk, 'c-1.txt': pgbench(900), 't.csv': 'v,rps\na,1\n' });
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await run('delta', ...args);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused(at('a-1.txt'), at('b-1.txt'), '--control', 'a')).toContain('is of pgbench, ');
    expect(await refused(at('a-1.txt'), at('t.csv'), '--control', 'a')).toContain('give one kind at a time');
    expect(await refused(at('a-1.txt'), at('c-1.txt'), '--control', 'base')).toContain(
      'no file is of the control base; their names are of a, c',
    );
  });

  it('shows examples', async () => {
    const { code, out } = await run('delta', '--help');
    expect(code).toBe(0);
    expect(out).toContain('Examples:\n  pgsweep delta table.md');
  });
});
