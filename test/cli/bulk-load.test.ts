import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { timeSpan } from '../../src/cli/bulk-load.ts';
import { type BulkLoadOptions, bulkLoadRun } from '../../src/cli/bulk-options.ts';
import { created, startDocumentServer } from '../sample/bulk/http-server.ts';
import { cli, startCli } from './cli.ts';

let folder: string;
let out: string;
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-bulk-cli-'));
});
beforeEach(() => {
  out = join(folder, `out-${runs++}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const resultOf = (path: string) => JSON.parse(readFileSync(join(path, 'bulk-load.json'), 'utf8'));

describe('pgsweep bulk-load', () => {
  it('loads into a fresh database each round, checks it, and tells both on stdout', async () => {
    const args = ['--documents', '700', '--rounds', '2', '--connections', '6', '--out', out];
    const { code, out: text, err } = await cli('bulk-load', ...args);
    expect(code, err).toBe(0);
    expect(
      text.match(/^Starting Measure for PartialGrandBend\nTotal Time: 00:\d\d:\d\d\.\d{7}\nDocuments: 700$/gm),
    ).toHaveLength(2);
    expect(text).toMatch(/700 of 700 +0 +0 +complete/);
    expect(text).toContain('All documents were loaded.');
    expect(text).not.toContain('starting Postgres');
    expect(err).toContain('starting Postgres');
    const { rounds, spec, whole } = resultOf(out);
    expect(whole).toBe(true);
    expect(spec).toMatchObject({ connections: 6, inFlight: 6, retries: 3, backoffMs: 100 });
    // Had the second met the first's documents, they would have been updates.
    for (const { result } of rounds) expect(result.outcomes.statuses).toEqual({ '201': 700 });
    expect(rounds[1].check).toEqual({ missing: 0, unexpected: 0, doubled: 0, dangling: 0 });
    expect(rounds[1].result.connectionsOpened).toBe(6);
    expect(readFileSync(join(out, 'failures.jsonl'), 'utf8')).toBe('');
  });

  it('says that a template needs more documents before it starts anything', async () => {
    const { code, err } = await cli('bulk-load', '--documents', '10', '--out', out);
    expect(code).toBe(2);
    expect(err).toMatch(/cannot have 10 documents\nAsk for a whole number of at least 110/);
    expect(err).not.toContain('starting');
    expect(existsSync(out)).toBe(false);
  });

  it('loads into a service that runs, and ends with 4 where documents are refused', async () => {
    const server = await startDocumentServer(({ resource }, response) => {
      if (resource === 'calendars') response.writeHead(422).end('no calendars');
      else created(response);
    });
    try {
      const args = ['--base-url', server.url, '--documents', '700', '--out', out];
      const { code, out: text } = await cli('bulk-load', ...args);
      expect(code).toBe(4);
      expect(text).toContain('round 1: never accepted: 1 by 422');
      expect(text).toMatch(/calendars \{"calendarCode":.*: 422: no calendars/);
      expect(text).toContain('NOT all documents were loaded once.');
      expect(resultOf(out).rounds[0].check).toBeNull();
      expect(JSON.parse(readFileSync(join(out, 'failures.jsonl'), 'utf8'))).toMatchObject({
        round: 1,
        variant: 'Control',
        resource: 'calendars',
        status: 422,
      });
      const again = await cli('bulk-load', ...args);
      expect(again.code).toBe(2);
      expect(again.err).toContain('already holds a bulk load');
      const json = await cli('bulk-load', ...args, '--out', `${out}-json`, '--json', '--quiet');
      expect(JSON.parse(json.out).rounds[0].result.bulk.failed).toEqual({ '422': 1 });
      expect(json.err).toBe('');
    } finally {
      server.close();
    }
  });

  it('gives the service the settings of a variant', async () => {
    const scenario = join(folder, 'variants.yaml');
    const variants = 'variants:\n  Control: {}\n  Unlocked: { env: { LOCK_REFERENCES: none, POOL_MAX: 3 } }';
    writeFileSync(
      scenario,
      `title: t\ntarget: { service: documents }\n${variants}\ncontrol: Control\nload: { connections: [1], workload: get-schools }\n`,
    );
    const args = ['--documents', '700', '--scenario', scenario, '--out', out, '--variant'];
    const { code, err } = await cli('bulk-load', ...args, 'unlocked');
    expect(code, err).toBe(0);
    expect(resultOf(out).variant).toMatchObject({ name: 'Unlocked', env: { LOCK_REFERENCES: 'none', POOL_MAX: '3' } });
    const wrong = await cli('bulk-load', ...args, 'Unloked');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('Did you mean "Unlocked"?');
  });

  it('puts the database at the distance of a variant', async () => {
    const scenario = join(folder, 'distance.yaml');
    const variants = 'variants: { Near: {}, Far: { distance: { rtt: 20ms } } }\ncontrol: Near';
    const load = 'load: { connections: 1, workload: get-schools }';
    writeFileSync(scenario, `target: { service: documents }\n${variants}\n${load}\n`);
    const args = ['--documents', '200', '--connections', '2', '--scenario', scenario, '--variant', 'Far', '--out', out];
    const { code, err } = await cli('bulk-load', ...args);
    expect(code, err).toBe(0);
    const { rounds, provenance } = resultOf(out);
    expect(provenance.distanceBy).toBe('proxy');
    expect(rounds[0].link.distance.asked).toEqual({ rttMs: 20 });
    // Each document takes a round trip at least.
    expect(rounds[0].result.bulk.totalMs).toBeGreaterThan((200 / 2) * 20);
  });

  it('loads a template whole unless it is told how many, with a variant and without', () => {
    const of = (options: Partial<BulkLoadOptions>) => bulkLoadRun({ rounds: 1, ...options }).spec.dataset;
    const whole = { kind: 'template', template: 'partial-grand-bend', documents: 9126, seed: 1 };
    expect(of({})).toEqual(whole);
    expect(of({ variant: 'Control' })).toEqual(whole);
    expect(of({ variant: 'Pool 25 conn', documents: 500 })).toEqual({ ...whole, documents: 500 });
    expect(of({ variant: 'Control', template: 'grand-bend' })).toMatchObject({ documents: 20_000 });
  });

  it('is the same load with a variant and without, and its help says which', async () => {
    const { spec, timeoutMs } = bulkLoadRun({ rounds: 1 });
    expect({ ...spec, timeoutMs }).toMatchObject({ connections: 25, retries: 3, backoffMs: 100, timeoutMs: 10_000 });
    const own = bulkLoadRun({ rounds: 1, variant: 'Control' });
    expect({ spec: own.spec, timeoutMs: own.timeoutMs }).toEqual({ spec, timeoutMs });
    const { out } = await cli('bulk-load', '--help');
    expect(out).toMatch(/--retries[^-]*\(default: 3\)/);
    expect(out).toMatch(/--timeout[^-]*\(default: 10s\)/);
  });

  /** Writes a scenario with a file of documents and its check; returns its name. */
  const scenarioOf = (documents: string): string => {
    const scenario = join(folder, 'own.yaml');
    writeFileSync(join(folder, 'documents.ndjson'), documents);
    const check = 'check: { sql: SELECT count(*) FROM documents, equals: 7 }';
    const bulk = `{ file: documents.ndjson, path: /documents, retries: 7, backoff: 1s, update: true, ${check} }`;
    writeFileSync(
      scenario,
      `target: { service: documents }\nvariants: { Control: {} }\ncontrol: Control\nload: { bulk: ${bulk}, timeout: 20s }\n`,
    );
    return scenario;
  };

  it('goes by its options, then by the scenario with its check, whose number is of the scenario’s documents', () => {
    const scenario = scenarioOf('{}\n');
    const { spec, timeoutMs } = bulkLoadRun({ rounds: 1, scenario });
    expect({ ...spec, timeoutMs }).toMatchObject({
      dataset: { kind: 'file', file: join(folder, 'documents.ndjson') },
      check: { sql: 'SELECT count(*) FROM documents', equals: 7 },
      retries: 7,
      backoffMs: 1000,
      update: true,
      timeoutMs: 20_000,
    });
    const asked = bulkLoadRun({ rounds: 1, scenario, retries: 0, backoff: 5, timeout: 3000, template: 'grand-bend' });
    expect(asked.spec).toMatchObject({ dataset: { kind: 'template' }, retries: 0, backoffMs: 5 });
    expect([asked.spec.check, asked.timeoutMs]).toEqual([{ sql: 'SELECT count(*) FROM documents' }, 3000]);
  });

  it('refuses a data set without documents before it starts anything', async () => {
    const { code, err } = await cli('bulk-load', '--scenario', scenarioOf('\n\n'), '--out', out);
    expect(code).toBe(2);
    expect(err).toContain(`load.bulk has no requests: ${join(folder, 'documents.ndjson')} has no lines`);
    expect(err).not.toContain('starting');
    expect(existsSync(out)).toBe(false);
  });

  it('refuses a variant that is switched live, which it would load into unswitched', async () => {
    const scenario = join(folder, 'live.yaml');
    const live = (value: string) => `{ live: { settings: { synchronous_commit: ${value} } } }`;
    const load = 'load: { connections: 2, workload: get-schools }';
    writeFileSync(
      scenario,
      `target: { service: documents }\nvariants: { A: ${live('on')}, B: ${live('off')} }\ncontrol: A\n${load}\n`,
    );
    const { code, err } = await cli('bulk-load', '--scenario', scenario, '--variant', 'B');
    expect(code).toBe(2);
    expect(err).toContain('"B" is switched live, and a bulk load has no other variant to switch from');
  });

  it('names the variants that it takes', async () => {
    const { code, out } = await cli('bulk-load', '--list-variants');
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 2)).toEqual(['Control', 'Pool 25 conn']);
  });

  it('keeps the documents that were lost, and says how far it was, where the service dies or on Ctrl-C', async () => {
    let posts = 0;
    const server = await startDocumentServer((_post, response) => {
      if (++posts === 200) return server.close();
      if (posts % 2 === 0) response.writeHead(422).end('odd');
      else created(response);
    });
    const args = ['bulk-load', '--base-url', server.url, '--backoff', '1ms', '--retries', '0', '--out'];
    const { code, err } = await cli(...args, out);
    expect(code).toBe(3);
    const lost = readFileSync(join(out, 'failures.jsonl'), 'utf8').trim().split('\n').length;
    expect(lost).toBeGreaterThan(100);
    expect(err).toMatch(
      /^The load was cut off after about [\d,]+( of 9,126)? documents; \d+ of them were never accepted: /m,
    );
    expect(err).toContain(`; ${lost} of them were never accepted: ${join(out, 'failures.jsonl')}\n`);
    const slow = await startDocumentServer((_post, response) => {
      if (++posts % 2 === 0) response.writeHead(422).end('odd');
      else setTimeout(() => created(response), 20);
    });
    const running = startCli([...args.toSpliced(2, 1, slow.url), `${out}-stopped`]);
    const failures = join(`${out}-stopped`, 'failures.jsonl');
    await expect.poll(() => existsSync(failures) && statSync(failures).size > 0, { timeout: 60_000 }).toBe(true);
    process.kill(running.pid, 'SIGINT');
    const stopped = await running.done;
    slow.close();
    expect(stopped.code).toBe(130);
    expect(stopped.err).toMatch(/ of them were never accepted: .*failures\.jsonl\ninterrupted\n$/);
    expect(statSync(failures).size).toBeGreaterThan(0);
  });

  it('leaves no folder where nothing came of it, and tells what to do about a service that does not answer', async () => {
    const args = ['bulk-load', '--base-url', 'http://127.0.0.1:1', '--out'];
    const { code, err } = await cli(...args, out);
    expect(code).toBe(2);
    expect(err).toMatch(
      /nothing answers at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\nStart the service, or name another\./,
    );
    expect(err).not.toContain('target:');
    expect(existsSync(out)).toBe(false);
    // Somebody else's folder stays, as empty as it was.
    mkdirSync(out);
    await cli(...args, out);
    expect(readdirSync(out)).toEqual([]);
    // Without --out, the folder that holds all results is made, too.
    const { code: again } = await startCli(args.slice(0, -1), { cwd: out }).done;
    expect([again, readdirSync(out)]).toEqual([2, []]);
  });

  it('ends soon and cleanly by Ctrl-C', async () => {
    const running = startCli(['bulk-load', '--documents', '9000', '--out', out]);
    await running.until('round 1/1');
    setTimeout(() => process.kill(running.pid, 'SIGINT'), 300);
    const { code, err } = await running.done;
    expect(code, err).toBe(130);
    expect(err).toContain('interrupted');
    expect(existsSync(join(out, 'bulk-load.json'))).toBe(false);
    // Postgres has ended in order, and not by the guard.
    expect(readFileSync(join(out, 'logs', 'postgres.log'), 'utf8')).toContain('database system is shut down');
  });
});

describe('a time span', () => {
  it('has hours, minutes, seconds and seven decimals', () => {
    expect(timeSpan(0)).toBe('00:00:00.0000000');
    expect(timeSpan(94_032.12345)).toBe('00:01:34.0321235');
    expect(timeSpan(3_723_004.5)).toBe('01:02:03.0045000');
    expect(timeSpan(59_999.99999)).toBe('00:01:00.0000000');
  });
});
