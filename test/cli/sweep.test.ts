import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/analysis/summary.ts';
import { readJournal } from '../../src/journal/journal.ts';
import type { SliceRecord } from '../../src/journal/records.ts';
import { everyPostgres, type FoundPostgres } from '../../src/stack/embedded/find-binaries.ts';
import { descendantsOf } from '../support/processes.ts';
import { cli, exitCodeOf, startCli } from './cli.ts';
import { untilNothingIsLeft } from './left-overs.ts';

const items = 'test/fixtures/services/items.yaml';
let folder: string;
let run: string;
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
});
beforeEach(() => {
  run = join(folder, `run-${runs++}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const reportFiles = [
  'summary.json',
  'report.md',
  'report.html',
  'averages.csv',
  'deltas.csv',
  'charts/requests_per_s.svg',
];
const summaryOf = (path: string): Summary => JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8'));

describe('a service of the user', () => {
  it('is swept by its command, to verdict or budget, and the report is the same when judged again', {
    timeout: 300_000,
  }, async () => {
    const { code, out, err } = await cli('sweep', items, '--out', run, '--rounds', '4', '--json', '--quiet');
    expect(code, err).toBe(exitCodeOf(run));
    expect(err).toMatch(/^(warning: .*\n)*report: .*\/report\.md, report\.html\n$/);
    const summary = JSON.parse(out) as Summary;
    expect(summary).toEqual(summaryOf(run));
    expect(summary.run).toMatchObject({ rounds: 4, variants: ['pool=1', 'pool=4'], control: 'pool=4' });
    const records = [...readJournal(join(run, 'journal.jsonl')).records];
    const slice = records.find((record): record is SliceRecord => record.type === 'slice');
    expect(Object.keys(slice?.byRequest ?? {}).sort()).toEqual(['create', 'list']);
    expect(slice?.outcomes.statuses['201']).toBeGreaterThan(0);

    const read = (): string[] => reportFiles.map((name) => readFileSync(join(run, name), 'utf8'));
    const before = read();
    rmSync(join(run, 'report.md'));
    const again = await cli('report', run, '--json');
    expect(again.out).toBe(out);
    expect(again.code).toBe(code);
    expect(read()).toEqual(before);
    await untilNothingIsLeft();
  });

  it('that already runs is compared by url, with requests from a module, and is left running', {
    timeout: 300_000,
  }, async () => {
    const [old, next] = await Promise.all([startEcho(), startEcho()]);
    const file = join(folder, 'releases.yaml');
    writeFileSync(
      file,
      `title: Two releases
target: { url: '${old.url}' }
variants: { Old: {}, New: { url: '${next.url}' } }
control: Old
load: { connections: 5, slice: 500ms, warmup: 300ms, module: ${resolve('test/fixtures/services/requests.mjs')} }
`,
    );
    const { code, err } = await cli('sweep', file, '--out', run, '--rounds', '4', '--quiet');
    expect(code, err).toBe(exitCodeOf(run));
    const summary = summaryOf(run);
    expect(summary.provenance).toMatchObject({ stack: 'none', postgresVersion: null, dataset: null });
    const databaseMetrics = summary.comparisons.filter(({ metric }) => metric.startsWith('xact'));
    expect(databaseMetrics.every(({ deltaPercent }) => deltaPercent === null)).toBe(true);
    expect(summary.comparisons.find(({ metric }) => metric === 'requests_per_s')).toMatchObject({
      variant: 'New',
      rounds: 4,
    });
    const slice = [...readJournal(join(run, 'journal.jsonl')).records].find(
      (record): record is SliceRecord => record.type === 'slice',
    );
    expect(Object.keys(slice?.byRequest ?? {}).sort()).toEqual(['read', 'write']);
    expect((await fetch(`${old.url}/health`)).status).toBe(200);
    await Promise.all([old.stop(), next.stop()]);
  });

  it('that never gets ready is one clear error', async () => {
    const file = join(folder, 'broken.yaml');
    writeFileSync(
      file,
      readFileSync(items, 'utf8')
        .replace('node items.mjs', 'echo cannot find module >&2; exit 3')
        .replace('schema.sql', join(process.cwd(), 'test/fixtures/services/schema.sql')),
    );
    const { code, err } = await cli('sweep', file, '--out', run);
    expect(code).toBe(2);
    expect(err).toMatch(
      /error: the service of "pool=[14]" ended \(exit code 3\) before it was ready\. Its last lines:\ncannot find module/,
    );
    expect(err).toContain('Nothing was measured');
    await untilNothingIsLeft();
  });

  it('that answers a request otherwise than expected ends the run before its first round', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(
      file,
      readFileSync(items, 'utf8')
        .replace('node items.mjs', `node ${resolve('test/fixtures/services/items.mjs')}`)
        .replace('schema.sql', resolve('test/fixtures/services/schema.sql'))
        .replace('id: "${unique}", ', ''),
    );
    const { code, err } = await cli('sweep', file, '--out', run);
    expect(code).toBe(2);
    expect(err).toMatch(
      /error: the request "create" \(POST \/items\) was answered 500 where 2xx is expected \(3 were tried\): null value in column "id"/,
    );
    expect(err).toContain('Nothing was measured');
    expect(existsSync(join(run, 'journal.jsonl'))).toBe(false);
    const checked = await cli('plan', file, '--check');
    expect(checked.code).toBe(2);
    expect(checked.out).toMatch(/\nexpected: at most [\s\S]*\nproblem +target +the request "create"/);
    await untilNothingIsLeft();
  });

  it('that answers only errors ends the run after its warm-up, with the first answer and its log', {
    timeout: 120_000,
  }, async () => {
    const [service, file] = [join(folder, 'failing.mjs'), join(folder, 'failing.yaml')];
    writeFileSync(
      service,
      // In order while it is tried before the first round, and broken from then on.
      `import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const tried = existsSync('${join(folder, 'tried')}');
writeFileSync('${join(folder, 'tried')}', '');
createServer((request, response) => {
  if (request.url === '/health' || !tried) return response.end();
  console.log('relation "items" does not exist');
  response.writeHead(500).end('{"error":"no table"}');
}).listen(process.env.PORT, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
`,
    );
    const schema = join(process.cwd(), 'test/fixtures/services/schema.sql');
    writeFileSync(
      file,
      readFileSync(items, 'utf8').replace('node items.mjs', `node ${service}`).replace('schema.sql', schema),
    );
    const { code, err } = await cli('sweep', file, '--out', run);
    expect(code).toBe(2);
    expect(err).toMatch(
      /error: the service of "pool=4" answered none of its \d+ requests of the warm-up as expected: \d+ x 500\. The first: 500 {"error":"no table"}\. Its last lines:\nrelation "items" does not exist/,
    );
    await untilNothingIsLeft();
  });

  it('that dies under load ends the run, and what was finished is kept', { timeout: 300_000 }, async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '40']);
    await running.until('round 1 done');
    await sleep(1500);
    const [service] = await firstOf(() => servicesOf(running.pid));
    // Never 0, which would be the group of this very process.
    if (service === undefined) throw new Error('no service of the run was seen');
    process.kill(service, 'SIGKILL');
    const { code, err } = await running.done;
    expect(code).toBe(2);
    expect(err).toMatch(/error: the service of "pool=[14]( \(A\/A\))?" ended (under load )?\(SIGKILL\)|exit code/);
    expect(err).toMatch(/\d finished rounds? (is|are) kept and reported in/);
    expect(summaryOf(run).run).toMatchObject({ complete: false });
    await untilNothingIsLeft();
  });
});

describe('an interrupted run', () => {
  it('by Ctrl-C: exit 130, nothing left, finished rounds reported, and it can be gone on with', {
    timeout: 300_000,
  }, async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '3']);
    await running.until(/round 1 done/);
    await sleep(1000);
    process.kill(running.pid, 'SIGINT');
    const { code, err, out } = await running.done;
    expect(code).toBe(130);
    expect(err).toContain(`Go on: pgsweep sweep --resume ${run}`);
    expect(err).not.toContain('internal error');
    expect(out).toContain('1 round');
    await untilNothingIsLeft();
    expect(readdirSync(run, { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([]);

    const resumed = await cli('sweep', '--resume', run, '--json', '--quiet');
    expect(resumed.code, resumed.err).toBe(exitCodeOf(run));
    expect((JSON.parse(resumed.out) as Summary).run).toMatchObject({ rounds: 3, complete: true });
    await untilNothingIsLeft();
  });

  it('by SIGKILL: the finished rounds are there, and nothing is left running', { timeout: 300_000 }, async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '40']);
    await running.until(/round 1 done/);
    await sleep(700);
    process.kill(running.pid, 'SIGKILL');
    await running.done;
    await untilNothingIsLeft();
    const { code, out } = await cli('report', run, '--json');
    expect(code).toBe(exitCodeOf(run));
    expect((JSON.parse(out) as Summary).run.rounds).toBeGreaterThanOrEqual(1);
  });
});

describe('mistakes', () => {
  it.each([
    [['sweep', 'nope.yaml'], /error: nope\.yaml cannot be read/],
    [['sweep', '--rounds', '0'], /Expected a whole number from 1/],
    [['sweep', '--budget', 'soon'], /Expected a duration/],
    [['sweep', '--stack', 'cloud'], /Expected one of auto, docker, embedded, external/],
    [['swep'], /Did you mean sweep/],
    [['sweep', '--qick'], /Did you mean --quick/],
    [['report', 'nope'], /nope\/journal\.jsonl cannot be read/],
    [['report', 'src'], /src\/journal\.jsonl cannot be read/],
    [['sweep', '--resume', 'nope'], /nope\/journal\.jsonl cannot be read/],
  ])('pgsweep %j', async (args, expected) => {
    const { code, err, out } = await cli(...args);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
    expect(out).toBe('');
  });

  it('a run folder that is taken is not overwritten', async () => {
    cpSync('test/fixtures', run, { recursive: true });
    writeFileSync(join(run, 'journal.jsonl'), '');
    const { code, err } = await cli('sweep', '--quick', '--out', run);
    expect(code).toBe(2);
    expect(err).toContain('already holds a run');
  });

  it('a Postgres that does not start shows its log', async () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(
      file,
      `title: x\ntarget: { service: documents }\nstack: { postgres: { settings: { shared_buffers: lots } } }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { connections: 1, workload: get-schools }\n`,
    );
    const { code, err } = await cli('sweep', file, '--out', run);
    // A value that Postgres does not take is the scenario's to mend.
    expect(code).toBe(2);
    expect(err).toMatch(/error: .*shared_buffers/s);
    expect(err).toContain('Nothing was measured');
  });
});

describe('without a name', () => {
  it('sweep, plan and doctor take pgsweep.yaml where it is', async () => {
    const cwd = mkdtempSync(join(folder, 'bare-'));
    writeFileSync(join(cwd, 'pgsweep.yaml'), 'titel: mine\n');
    for (const command of ['sweep', 'plan', 'doctor']) {
      const { code, err } = await startCli([command], { cwd }).done;
      expect(code).toBe(2);
      expect(err).toMatch(/^error: pgsweep\.yaml:1:1: .*\n(.*\n)*.*unknown key "titel": .*did you mean "title"/);
      const schema = /what they mean: (\S+scenario\.schema\.json);/.exec(err)?.[1] ?? '';
      expect(existsSync(resolve(cwd, schema))).toBe(true);
    }
  });

  it('init writes it, plan takes it, and its first line is where editors find the schema', async () => {
    const cwd = mkdtempSync(join(folder, 'init-'));
    expect((await startCli(['init'], { cwd }).done).out).toMatch(/^wrote pgsweep\.yaml\n.*\n {2}pgsweep plan\n/);
    const [line = ''] = readFileSync(join(cwd, 'pgsweep.yaml'), 'utf8').split('\n');
    const schema = /^# yaml-language-server: \$schema=(file:\S+)$/.exec(line)?.[1] ?? '';
    expect(existsSync(new URL(schema))).toBe(true);
    expect((await startCli(['plan'], { cwd }).done).out).toMatch(/^Which pool size suits my service\?\n/);
  });
});

describe('plan warns', () => {
  const planOf = async (rest: string) => {
    const file = join(folder, 'untitled.yaml');
    const load = 'control: A\nload: { connections: 1, workload: get-schools }\n';
    writeFileSync(file, `target: { service: documents }\n${rest}\n${load}`);
    return cli('plan', file);
  };

  it('of variants that are twins, under the name of the file where there is no title', async () => {
    const { code, out, err } = await planOf('variants: { A: {}, B: {} }');
    expect(code).toBe(0);
    expect(out).toMatch(/^untitled\n/);
    expect(err).toBe('warning: the variants "A" and "B" are identical: what differs between them is noise\n');
  });

  it('and refuses a setting that the Postgres of this machine does not have', async () => {
    const { version } = findFirst();
    // One that is no more, and one that was not yet: whichever Postgres is here lacks one of them.
    const setting = Number.parseInt(version, 10) >= 17 ? 'old_snapshot_threshold' : 'summarize_wal';
    const { code, err } = await planOf(`variants: { A: {}, B: { settings: { ${setting}: 1 } } }`);
    expect(code).toBe(2);
    expect(err).toContain(`error: variant "B": Postgres ${Number.parseInt(version, 10)} has no setting "${setting}": `);
  });
});

describe('plan and init', () => {
  it('plan says what a sweep would do, and runs nothing', async () => {
    const { code, out } = await cli('plan');
    expect(code).toBe(0);
    expect(out).toContain('\nstack: embedded (asked for)\n');
    expect(out).toContain('pool=10 (A/A)');
    expect(out).toMatch(/expected: at most \d+\.\d minutes/);
    expect(out).toMatch(
      /\n(after \d+ rounds effects of about [\d.]+ % can be seen, going by results|how small an effect it can see is not known: no run on this machine is in results\/\n)/,
    );
    const { out: json } = await cli('plan', items, '--json');
    expect(JSON.parse(json)).toMatchObject({
      cells: 4,
      stack: { kind: 'embedded', reason: 'asked for' },
      arms: [{ name: 'pool=4' }, { name: 'pool=4 (A/A)', repeat: true }, { name: 'pool=1' }],
    });
  });

  it('plan --check looks as a sweep does before its first round', async () => {
    const { code, out } = await cli('plan', items, '--check');
    expect(code).toBe(/^problem/m.test(out) ? 3 : 0);
    expect(out).toMatch(/\nok +requests +"list" \(GET \/items\) 200; "create" \(POST \/items\) 201\n/);
    expect(out).toMatch(/\nok +connections +the pools of 3 arms on one Postgres may open 9 connections; /);
    const json = await cli('plan', items, '--check', '--json');
    const names = (JSON.parse(json.out) as { findings: { name: string }[] }).findings.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['foreign cpu', 'stack', 'budget', 'connections', 'service', 'requests']),
    );
    await untilNothingIsLeft();
  });

  it('init writes a scenario that is valid, and overwrites nothing', async () => {
    const file = join(folder, 'mine.yaml');
    expect((await cli('init', file)).code).toBe(0);
    expect((await cli('plan', file)).code).toBe(0);
    const { code, err } = await cli('init', file);
    expect(code).toBe(2);
    expect(err).toContain('is there already');
    expect(existsSync(file)).toBe(true);
  });
});

/** The Postgres that a run without containers has. */
function findFirst(): FoundPostgres {
  for (const found of everyPostgres()) return found;
  throw new Error('there is no Postgres on this machine');
}

/** A service that somebody else has started. */
async function startEcho(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await getPort({ host: '127.0.0.1' });
  const child = spawn(process.execPath, ['test/fixtures/services/echo.mjs'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Of this run alone: others beside it have services of that name, too. */
function servicesOf(bench: number): number[] {
  return descendantsOf(bench)
    .filter(({ args }) => /^node items\.mjs$/.test(args))
    .map(({ pid }) => pid);
}

async function firstOf(find: () => number[]): Promise<number[]> {
  for (let i = 0; i < 100; i++) {
    const found = find();
    if (found.length > 0) return found;
    await sleep(50);
  }
  return [];
}
