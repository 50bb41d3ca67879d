import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { twoWayTable } from '../../../src/report/tables/two-way.ts';
import { twoWaysOf } from '../../../src/report/tables/two-way-tables.ts';
import { runLive } from '../../support/live-run.ts';
import { needs } from '../../support/needs.ts';

const mariaDb = await needs('mariadb');

/** The shipped scenario, as short as it can be. */
const file = 'scenarios/two-databases.yaml';
const text = `${readFileSync(file, 'utf8').replace('connections: [1, 10]', 'connections: 5\n  slice: 1s\n  warmup: 500ms')}
rounds: { min: 1, max: 1 }
`;

let folder: string;
let server: ChildProcess | undefined;
let records: readonly JournalRecord[];
let summary: Summary;

beforeAll(async () => {
  if (!mariaDb.isHere) return;
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-two-'));
  server = spawn('node', ['scenarios/services/two-databases/with-mariadb.mjs'], {
    env: { ...process.env, ...mariaDb.has },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (server.stdout === null) throw new Error('no output');
  const [url] = await once(createInterface(server.stdout), 'line');
  process.env.MARIADB_URL = String(url);
  const run = await runLive({ text, file, path: join(folder, 'run') }, { emit: () => {} });
  const journal = readJournal(run.journal);
  records = [...journal.records];
  summary = summarize(journal);
}, 240_000);
afterAll(async () => {
  if (server !== undefined && server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'close');
  }
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

describe('two releases on Postgres and on MariaDB', mariaDb.orSkip, () => {
  it('are measured in one run, in turns, and all answer', () => {
    const slices = records.filter((record) => record.type === 'slice');
    expect(new Set(slices.map(({ variant }) => variant))).toEqual(
      new Set(['Postgres v1', 'Postgres v2', 'MariaDB v1', 'MariaDB v2']),
    );
    expect(slices).toHaveLength(5);
    for (const { whole } of slices) {
      expect(whole.errors + whole.timeouts).toBe(0);
      expect(Object.keys(whole.statuses).sort()).toEqual(['200', '201']);
    }
    const passes = records.filter((record) => record.type === 'pass');
    expect(passes).not.toEqual([]);
    // In whole slices only where answers are slow or a service was seen at work between its turns, which other load can bring about.
    for (const pass of passes)
      if (pass.turnsPerArm === 1) expect(pass.wholeSlices).toMatch(/^(latency|waits|idle work)$/);
  });

  it('have counters of Postgres where there is one, and nothing of it elsewhere', () => {
    const counted = records.flatMap((record) => (record.type === 'counters' ? [record.arm] : []));
    expect(counted.filter((arm) => arm.startsWith('MariaDB'))).toEqual([]);
    const work = records.flatMap((record) =>
      record.type === 'slice' ? [[record.variant.split(' ')[0], record.work?.postgresCpuMs === null] as const] : [],
    );
    expect(new Set(work.map(([database, isMissing]) => `${database} ${isMissing}`))).toEqual(
      new Set(['Postgres false', 'MariaDB true']),
    );
    expect(summary.notes).toContainEqual({
      kind: 'own-databases',
      variants: ['MariaDB v1', 'MariaDB v2'],
      all: false,
      kept: [],
    });
  });

  it('stand in a table of both', () => {
    const [two] = twoWaysOf(summary).map((one) => twoWayTable(one));
    expect(two?.columns.map(({ head }) => head)).toEqual(['database', 'v1', 'v2', 'Delta']);
    expect(two?.rows.map(([head]) => head?.text)).toEqual(['Postgres', 'MariaDB', 'Delta']);
    const values = (two?.rows ?? [])
      .slice(0, 2)
      .flatMap((row) => row.slice(1, 3).map((cell) => Number(cell.text.replaceAll(',', ''))));
    expect(values.every((value) => value > 0)).toBe(true);
  });
});
