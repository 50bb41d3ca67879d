import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { loadSize } from '../../src/journal/load-level.ts';
import type { HistoryPoint } from '../../src/judge/history/history-point.ts';
import { readHistory } from '../../src/judge/history/history-store.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { besideJob } from '../judge/kinds-of-load.ts';
import { small } from '../judge/small-run.ts';
import { play } from '../judge/tune/played-search.ts';
import { clonedBin } from './cli.ts';
import { run } from './in-process.ts';

let summary: Summary;
beforeAll(() => {
  summary = summarize(fixtureJournal({ rounds: 6, connections: [1, 25], noise: 0.01 }));
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-history-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** A run folder of a run with that id. */
function runFolder(parent: string, id: string, changes: (summary: Summary) => Partial<Summary> = () => ({})): string {
  const path = join(parent, id);
  mkdirSync(path);
  const own = {
    ...summary,
    run: { ...summary.run, id },
    provenance: { ...summary.provenance, gitCommit: 'a'.repeat(40) },
  };
  writeFileSync(join(path, 'summary.json'), JSON.stringify({ ...own, ...changes(own) }));
  return path;
}

/** A history of made-up runs, one a day. */
function historyFile(rates: readonly number[], more: (index: number) => Partial<HistoryPoint> = () => ({})): string {
  const file = join(folder(), 'history.jsonl');
  const lines = rates.map(
    (rate, index): HistoryPoint => ({
      version: 1,
      commit: `${String(index).padStart(4, '0')}${'c'.repeat(36)}`,
      committedAt: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
      subject: `Change number ${index}`,
      run: `run-${index}`,
      startedAt: new Date(Date.UTC(2026, 0, 1 + index, 12)).toISOString(),
      scenario: 'pool-size',
      control: 'pool=10',
      machine: { cpuModel: 'Made up', cpuCount: 2, memoryBytes: 8e9 },
      postgresVersion: '17.2',
      rounds: 6,
      levels: [
        { variant: 'pool=10', load: '1 connection', metrics: { requests_per_s: rate / 10 } },
        { variant: 'pool=10', load: '25 connections', metrics: { requests_per_s: rate } },
      ],
      changes: [
        {
          variant: 'pool=25',
          load: '25 connections',
          metric: 'requests_per_s',
          deltaPercent: index / 10,
          verdict: 'noise',
        },
      ],
      ...more(index),
    }),
  );
  // Written in another order than they were made.
  writeFileSync(
    file,
    `${lines
      .reverse()
      .map((line) => JSON.stringify(line))
      .join('\n')}\n`,
  );
  return file;
}

/** 1,000 requests a second, and 900 from run 20 on, 1 % off in turn. */
const dropped = Array.from(
  { length: 40 },
  (_, index) => (index >= 20 ? 900 : 1000) * (1 + ([0, 0.01, -0.01, 0.005][index % 4] ?? 0)),
);

describe('pgsweep history add', () => {
  it('keeps what a run found, once', async () => {
    const parent = folder();
    const file = join(parent, 'history.jsonl');
    const path = runFolder(parent, 'run-1');
    expect(await run('history', 'add', path, '--file', file)).toMatchObject({
      code: 0,
      out: `run-1, commit aaaaaaaa, added to ${file}\n`,
    });
    const [point] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(point).toMatchObject({ run: 'run-1', commit: 'a'.repeat(40), scenario: summary.run.scenario, rounds: 6 });
    const average = summary.averages.find(
      ({ variant, load }) => variant === summary.run.control && loadSize(load) === 25,
    );
    const level = point.levels.find(
      (one: HistoryPoint['levels'][number]) => one.variant === summary.run.control && one.load === '25 connections',
    );
    expect(level.metrics.requests_per_s).toBe(average?.metrics.requests_per_s);
    const again = await run('history', 'add', path, '--file', file);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining(`error: run run-1 is in ${file} already\n`)]);
    expect(again.err).toContain('To correct the line, remove it');
  });

  it('takes a run again once it has more rounds, which count in its place', async () => {
    const parent = folder();
    const file = join(parent, 'history.jsonl');
    const add = (rounds: number) => {
      const path = runFolder(parent, `of-${rounds}`, (own) => ({ run: { ...own.run, id: 'run-1', rounds } }));
      return run('history', 'add', path, '--file', file);
    };
    expect([(await add(6)).code, (await add(8)).code, (await add(7)).code]).toEqual([0, 0, 2]);
    const { out } = await run('history', 'show', '--file', file, '--json');
    expect(JSON.parse(out).points).toHaveLength(1);
    expect(readHistory({ file }).map(({ rounds }) => rounds)).toEqual([8]);
  });

  it('refuses a summary that is older than the journal beside it', async () => {
    const parent = folder();
    const path = runFolder(parent, 'run-1');
    const { run: head, records } = fixtureJournal({ ...small, rounds: 7 });
    const journal = openJournal(join(path, 'journal.jsonl'));
    for (const record of [head, ...records]) journal.append(record);
    journal.close();
    const { code, err } = await run('history', 'add', path, '--file', join(parent, 'h.jsonl'));
    expect([code, err]).toEqual([
      2,
      `error: the summary of ${path} is of 6 rounds, its journal of 7\nWrite it again: pgsweep report ${path}\n`,
    ]);
    await run('report', '--no-limits', path);
    expect((await run('history', 'add', path, '--file', join(parent, 'h.jsonl'))).code).toBe(0);
  });

  it('takes a run with a search, whose rounds are in its journal, too', async () => {
    const parent = folder();
    const played = play(30);
    const searched = summarize({ ...played, warnings: [] });
    const path = runFolder(parent, 'run-1', ({ provenance }) => ({ ...searched, provenance }));
    const journal = openJournal(join(path, 'journal.jsonl'));
    for (const record of [played.run, ...played.records]) journal.append(record);
    journal.close();
    const { code, err } = await run('history', 'add', path, '--file', join(parent, 'h.jsonl'));
    expect([code, err, (searched.search?.rounds ?? 0) > 0]).toEqual([0, '', true]);
  });

  it('says that files differed from the commit', async () => {
    const parent = folder();
    const path = runFolder(parent, 'run-1', ({ provenance }) => ({
      provenance: { ...provenance, gitCommit: 'ee2317791484+changes' },
    }));
    const { out } = await run('history', 'add', path, '--file', join(parent, 'history.jsonl'));
    expect(out).toContain('run-1, commit ee231779+changes, added to ');
  });

  it('leaves no half of a line where the file may not grow', () => {
    const parent = folder();
    const file = join(parent, 'history.jsonl');
    const args = [process.execPath, clonedBin, 'history', 'add', runFolder(parent, 'run-1'), '--file', file];
    const limited = 'ulimit -f 1; exec "$0" "$@"';
    const { status, stderr } = spawnSync('sh', ['-c', limited, ...args], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([3, expect.stringContaining(`${file} could not be written: it may not grow`)]);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('refuses a run whose numbers are not to be believed, and one without a summary', async () => {
    const parent = folder();
    const refused = async (path: string): Promise<string> => {
      const { code, err } = await run('history', 'add', path, '--file', join(parent, 'h.jsonl'));
      expect(code).toBe(2);
      return err;
    };
    const unfit = runFolder(parent, 'unfit', (own) => ({ session: { ...own.session, verdict: 'unfit' } }));
    expect(await refused(unfit)).toContain('the session was unfit');
    const quick = runFolder(parent, 'quick', (own) => ({ run: { ...own.run, quick: true } }));
    expect(await refused(quick)).toContain('a quick run');
    const commitless = runFolder(parent, 'commitless', (own) => ({
      provenance: { ...own.provenance, gitCommit: null },
    }));
    expect(await refused(commitless)).toContain('Name it: --commit HEAD');
    const changes = [{ name: 'gitCommit', before: 'a'.repeat(40), after: 'b'.repeat(40) }];
    const resumed = runFolder(parent, 'resumed', () => ({ notes: [{ kind: 'resumed-elsewhere', changes }] }));
    expect(await refused(resumed)).toContain('resumed at another commit (aaaaaaaa, then bbbbbbbb)');
    expect(await refused(join(parent, 'nothing'))).toContain('summary.json cannot be read');
  });

  it('says what is wrong with a place where it cannot write or read', async () => {
    const parent = folder();
    const path = runFolder(parent, 'run-1');
    const file = join(parent, 'ci', 'history.jsonl');
    const { code, err } = await run('history', 'add', path, '--file', file);
    expect([code, err]).toEqual([
      2,
      `error: ${file} could not be written: its folder is not there\nChange that, or name another place.\n`,
    ]);
    const read = await run('history', 'show', '--file', parent);
    expect([read.code, read.err]).toEqual([2, expect.stringContaining(`${parent} cannot be read: EISDIR`)]);
  });

  it('keeps a history in a git ref, each run a commit', async () => {
    const parent = folder();
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: parent, encoding: 'utf8' }).trim();
    git('init', '--quiet');
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--allow-empty', '-m', 'Begin');
    const before = process.cwd();
    const paths = ['run-1', 'run-2'].map((id) => runFolder(parent, id));
    process.chdir(parent);
    onTestFinished(() => process.chdir(before));
    for (const path of paths) {
      const { code, err } = await run('history', 'add', path, '--ref', 'refs/pgsweep/history', '--commit', 'HEAD');
      expect([code, err]).toEqual([0, '']);
    }
    expect(git('rev-list', '--count', 'refs/pgsweep/history')).toBe('2');
    const lines = git('show', 'refs/pgsweep/history:history.jsonl')
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ run: id, commit, subject }) => [id, commit, subject])).toEqual(
      ['run-1', 'run-2'].map((id) => [id, git('rev-parse', 'HEAD'), 'Begin']),
    );
    const { out } = await run('history', 'show', '--ref', 'refs/pgsweep/history');
    expect(out).toContain('2 runs');
    expect((await run('history', 'add', paths[0] ?? '', '--ref', 'no ref', '--commit', 'HEAD')).err).toContain(
      'no ref is not the full name of a git ref\nDid you mean refs/pgsweep/history?',
    );
    expect((await run('history', 'add', paths[0] ?? '', '--commit', 'v0.0.0-nothing')).err).toContain(
      'git knows no commit v0.0.0-nothing',
    );
  });
});

describe('pgsweep history add --ref', () => {
  it('leaves the other files and folders of a branch, seen from any folder', async () => {
    const parent = folder();
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: parent, encoding: 'utf8' }).trim();
    mkdirSync(join(parent, 'site'));
    const name = Buffer.from('caf\xe9 \n.txt', 'latin1');
    for (const file of ['index.html', 'site/a b.html']) writeFileSync(join(parent, file), file);
    writeFileSync(Buffer.concat([Buffer.from(`${parent}/site/`), name]), '');
    writeFileSync(Buffer.concat([Buffer.from(`${parent}/`), name]), '');
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'Site');
    git('branch', 'gh-pages');
    const before = git('ls-tree', '-r', 'gh-pages');
    const cwd = process.cwd();
    onTestFinished(() => process.chdir(cwd));
    const paths = ['run-1', 'run-2'].map((id) => runFolder(parent, id));
    process.chdir(join(parent, 'site'));
    for (const path of paths) {
      const { code, err } = await run('history', 'add', path, '--ref', 'refs/heads/gh-pages', '--commit', 'HEAD');
      expect([code, err]).toEqual([0, '']);
    }
    const after = git('ls-tree', '-r', 'gh-pages').split('\n');
    expect(after.filter((line) => !line.endsWith('\thistory.jsonl')).join('\n')).toBe(before);
    expect(after).toHaveLength(before.split('\n').length + 1);
    expect(git('show', 'gh-pages:history.jsonl').split('\n')).toHaveLength(2);
  });
});

describe('pgsweep history add --ref of a branch that is checked out', () => {
  it('is refused, in every work tree of the repository, and nothing is moved', async () => {
    const parent = folder();
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: parent, encoding: 'utf8' }).trim();
    git('init', '--quiet', '--initial-branch', 'main');
    writeFileSync(join(parent, '.gitignore'), 'run-*\nother\n');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'Begin');
    git('worktree', 'add', '--quiet', '-b', 'results', 'other');
    git('branch', 'free');
    const path = runFolder(parent, 'run-1');
    const cwd = process.cwd();
    onTestFinished(() => process.chdir(cwd));
    process.chdir(parent);
    for (const [branch, tree] of [
      ['main', process.cwd()],
      ['results', join(process.cwd(), 'other')],
    ] as const) {
      const { code, err } = await run('history', 'add', path, '--ref', `refs/heads/${branch}`, '--commit', 'HEAD');
      expect([code, err]).toEqual([2, expect.stringContaining(`refs/heads/${branch} is checked out in ${tree}`)]);
      expect(git('rev-list', '--count', branch)).toBe('1');
    }
    expect((await run('history', 'add', path, '--ref', 'refs/heads/free', '--commit', 'HEAD')).code).toBe(0);
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('pgsweep history show', () => {
  it('names the commit at which a metric changed, by how much and how sure that is', async () => {
    const { code, out } = await run('history', 'show', '--file', historyFile(dropped));
    expect(code).toBe(0);
    expect(out).toContain('pool-size: requests_per_s of pool=10 with 25 connections, 40 runs');
    // 900 / 1000 - 1 = -10 %
    expect(out).toMatch(/Change points:\n {2}0020cccc: -10\.0 % \[-10\.\d, -9\.\d\]; Change number 20\n/);
    // The curve falls, and a line marks where.
    expect(out.split('\n').filter((line) => line.includes('|'))).toHaveLength(10);
  });

  it('says so in JSON', async () => {
    const { out } = await run('history', 'show', '--json', '--file', historyFile(dropped));
    const { points, changePoints } = JSON.parse(out);
    expect(points).toHaveLength(40);
    expect(points[0].run).toBe('run-0');
    expect(changePoints).toHaveLength(1);
    expect(changePoints[0].commit).toMatch(/^0020/);
    expect(changePoints[0].percent).toBeCloseTo(-10, 5);
  });

  it('has the metrics that only a kind of load has', async () => {
    const parent = folder();
    const file = join(parent, 'history.jsonl');
    const waits = { jobMs: 500, longestMs: 40, beforeMs: 5, rateRatio: 1 };
    const beside = summarize(besideJob({ ...small, repeat: false }, () => waits));
    await run(
      'history',
      'add',
      runFolder(parent, 'run-1', ({ run: { id } }) => ({ ...beside, run: { ...beside.run, id } })),
      '--file',
      file,
      '--commit',
      'HEAD',
    );
    for (const [metric, value] of [
      ['duration_ms', 500],
      ['longest_wait_ms', 40],
    ] as const) {
      const { out, err } = await run('history', 'show', '--file', file, '--metric', metric, '--json');
      expect([err, JSON.parse(out).points.map((point: { value: number }) => point.value)]).toEqual(['', [value]]);
    }
  });

  it('raises no alarm for noise', async () => {
    const { out } = await run('history', 'show', '--file', historyFile(dropped.map((_, i) => 1000 + ((i * 37) % 11))));
    expect(out).toContain(
      `No change points: what is seen is noise. With ${dropped.length} runs, even a plain step needs 3 runs before it and after it.\n`,
    );
  });

  it('draws another cell, a change, and more runs than there are columns', async () => {
    const file = historyFile(Array.from({ length: 300 }, (_, i) => 1000 + ((i * 37) % 11)));
    const { out } = await run('history', 'show', '--file', file, '--load', '1');
    expect(out).toContain('with 1 connection, 300 runs');
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120);
    const change = await run('history', 'show', '--file', historyFile([1, 2, 3]), '--change');
    expect(change.out).toContain('change of requests_per_s of pool=25 with 25 connections, 3 runs');
    expect(change.out).toContain('+0.2 % |');
    // The first change is 0 %, which has a logarithm: ln 1.
    expect(change.out).toContain('No change points: what is seen is noise.');
  });

  it('has commits of the same second in their order, however they were measured; else it says so', async () => {
    const parent = folder();
    const at = '2026-01-31T10:00:00Z';
    const env = { ...process.env, GIT_COMMITTER_DATE: at };
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: parent, encoding: 'utf8', env }).trim();
    git('init', '--quiet');
    const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
    const commits = Array.from({ length: 6 }, (_, index) => {
      git(...who, 'commit', '--quiet', '--allow-empty', '-m', `Commit ${index}`);
      return git('rev-parse', 'HEAD');
    });
    // The newest was measured first.
    const measured = (of: readonly string[]): string =>
      historyFile([5, 4, 3, 2, 1, 0], (index) => ({ commit: of[5 - index] ?? '', committedAt: at }));
    const cwd = process.cwd();
    onTestFinished(() => process.chdir(cwd));
    process.chdir(parent);
    const shown = async (file: string) =>
      JSON.parse((await run('history', 'show', '--json', '--file', file)).out) as {
        readonly points: readonly { readonly commit: string }[];
        readonly orderUnknown: number;
      };
    const known = await shown(measured(commits));
    expect([known.points.map(({ commit }) => commit), known.orderUnknown]).toEqual([commits, 0]);
    const others = commits.with(2, 'f'.repeat(40));
    const unknown = await shown(measured(others));
    expect([unknown.points.map(({ commit }) => commit), unknown.orderUnknown]).toEqual([others.toReversed(), 6]);
    expect((await run('history', 'show', '--file', measured(others))).out).toContain(
      '6 runs of commits of the same second in the order of measurement',
    );
  });

  it('leaves out runs of another machine or another Postgres', async () => {
    const file = historyFile([1000, 1001, 1002, 1003], (index) => (index === 1 ? { postgresVersion: '16.4' } : {}));
    const { out } = await run('history', 'show', '--file', file);
    expect(out).toContain('25 connections, 3 runs');
    expect(out).toContain('1 run on another machine or another Postgres left out.');
  });

  it('leaves out changes against another control, and not the values of such runs', async () => {
    const file = historyFile([1000, 1001, 1002, 1003], (index) => (index === 1 ? { control: 'pool=20' } : {}));
    const { out } = await run('history', 'show', '--file', file, '--change');
    expect(out).toContain('25 connections, 3 runs');
    expect(out).toContain('1 run with another control left out.');
    const { points, otherControl } = JSON.parse(
      (await run('history', 'show', '--file', file, '--change', '--json')).out,
    );
    expect([points.map(({ run: id }: { run: string }) => id), otherControl]).toEqual([['run-0', 'run-2', 'run-3'], 1]);
    expect((await run('history', 'show', '--file', file)).out).toContain('25 connections, 4 runs');
  });

  it('refuses what the history does not have, and a line that is none', async () => {
    const file = historyFile([1000, 1001]);
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await run('history', 'show', ...args);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused('--file', file, '--metric', 'request_per_s')).toContain('Did you mean requests_per_s?');
    expect(await refused('--file', file, '--load', '26')).toContain('There are 1 connection, 25 connections.');
    expect(await refused('--file', file, '--variant', 'pool=11')).toContain('the history has no variant pool=11');
    expect(await refused('--file', join(folder(), 'none.jsonl'))).toContain('the history is empty');
    expect(await refused('--file', file, '--metric', 'constructor')).toContain('the history has no metric constructor');
    const alone = historyFile([1000, 1001], () => ({ changes: [] }));
    expect(await refused('--file', alone, '--change')).toContain('run run-1 has no change against its control');
    const elsewhere = historyFile([1000], () => ({
      levels: ['1 connection', '25 connections'].map((load, at) => ({
        variant: 'pool=10',
        load,
        metrics: { requests_per_s: 1000, ...(at === 0 && { latency_p99_ms: 5 }) },
      })),
    }));
    const lacking = await refused('--file', elsewhere, '--metric', 'latency_p99_ms');
    expect(lacking).toContain('the history has no metric latency_p99_ms of pool=10 with 25 connections');
    expect(lacking).not.toContain('latency_p99_ms?');
    appendFileSync(file, '{"version":1}\n');
    expect(await refused('--file', file)).toContain(`${file}:3: the line is no point of a history`);
  });

  it('shows examples', async () => {
    for (const args of [['history'], ['history', 'add'], ['history', 'show']]) {
      const { code, out } = await run(...args, '--help');
      expect(code).toBe(0);
      expect(out).toContain('Examples:');
    }
  });
});
