import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readJournal } from '../../src/journal/journal.ts';
import type { SliceRecord } from '../../src/journal/records.ts';
import type { Summary } from '../../src/judge/summary.ts';
import { cli, exitCodeOf } from './cli.ts';
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
  it('is swept by its command, and the report is the same when judged again', async () => {
    const { code, out, err } = await cli('sweep', items, '--out', run, '--rounds', '1', '--json', '--quiet');
    expect(code, err).toBe(exitCodeOf(run));
    expect(err).toMatch(/^(warning: .*\n)*report: .*\/report\.md, report\.html\n$/);
    const summary = JSON.parse(out) as Summary;
    expect(summary).toEqual(summaryOf(run));
    expect(summary.run).toMatchObject({ rounds: 1, variants: ['pool=1', 'pool=4'], control: 'pool=4' });
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

  it('that already runs is compared by url, with requests from a module, and is left running', async () => {
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
    const { code, err } = await cli('sweep', file, '--out', run, '--rounds', '2', '--quiet');
    expect(code, err).toBe(exitCodeOf(run));
    const summary = summaryOf(run);
    expect(summary.provenance).toMatchObject({ stack: 'none', postgresVersion: null, dataset: null });
    const databaseMetrics = summary.comparisons.filter(({ metric }) => metric.startsWith('xact'));
    expect(databaseMetrics.every(({ deltaPercent }) => deltaPercent === null)).toBe(true);
    expect(summary.comparisons.find(({ metric }) => metric === 'requests_per_s')).toMatchObject({
      variant: 'New',
      rounds: 2,
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
    const [{ code, err }, checked] = await Promise.all([
      cli('sweep', file, '--out', run),
      cli('plan', file, '--check'),
    ]);
    expect(code).toBe(2);
    expect(err).toMatch(
      /error: the request "create" \(POST \/items\) was answered 500 where 2xx is expected \(3 were tried\): null value in column "id"/,
    );
    expect(err).toContain('Nothing was measured');
    expect(existsSync(join(run, 'journal.jsonl'))).toBe(false);
    // What Postgres logged meanwhile, before a run, too.
    expect(err).toMatch(/Postgres logged: 3 x null value in column "id" .*\(23502/);
    expect(checked.code).toBe(2);
    expect(checked.out).toMatch(/\nexpected: at most [\s\S]*\nproblem +target +the request "create"/);
    await untilNothingIsLeft();
  });

  it('that answers only errors ends the run after its warm-up, with the first answer and its log', async () => {
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
    // Whichever arm is first in its round.
    expect(err).toMatch(
      /error: the service of "pool=[14](?: \(A\/A\))?" answered none of its \d+ requests of the warm-up as expected: \d+ x 500\. The first: 500 {"error":"no table"}\. Its last lines:\nrelation "items" does not exist/,
    );
    await untilNothingIsLeft();
  });
});

/** A service that somebody else has started. */
async function startEcho(): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['test/fixtures/services/echo.mjs'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const port = /port (\d+)/.exec(String(line))?.[1];
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
