import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import type { Probe, ProbeContext, ProbedArm, ProbeKind, ProbeReading } from '../../../src/measure/probe/probe.ts';
import type { ProbeWarning } from '../../../src/measure/probe/probe-warning.ts';
import { createDatabase, dropDatabase } from '../../../src/measure/stack/common/databases.ts';
import type { PostgresBinaries, PostgresOptions, StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import { findPostgresBinaries } from '../../../src/measure/stack/embedded/find-binaries.ts';
import { findNpmBinaries } from '../../../src/measure/stack/embedded/npm-binaries.ts';
import { type TestPostgres, untilCountsAreRead, withPostgres } from '../stack/postgres.ts';
import { wholeLoad } from './probe-context.ts';

/** The servers that can be had here: this system's and npm's. */
function serversHere(): PostgresBinaries[] {
  const npm = findNpmBinaries(process.platform, process.arch);
  const found = findPostgresBinaries();
  return 'binaries' in npm && npm.binaries.folder !== found.folder ? [found, npm.binaries] : [found];
}

export interface Probed {
  readonly server: TestPostgres;
  /** A fresh database, dropped after the test, with clients that are ended before. */
  database(...statements: readonly string[]): Promise<ProbedDatabase>;
  context(changes?: Partial<ProbeContext>): ProbeContext;
  /** What the probes of this test have warned of. */
  readonly warnings: readonly ProbeWarning[];
  /** Opens a probe that must be there; it is closed after the test. */
  open(open: ProbeKind['open'], changes?: Partial<ProbeContext>): Promise<Probe>;
}

export interface ProbedDatabase {
  readonly arm: ProbedArm;
  readonly url: string;
  client(): Promise<pg.Client>;
  /** Ends sessions of it, with all that they did counted. */
  end(...clients: readonly pg.Client[]): Promise<void>;
  /** The reading over some load, and how long that took. */
  during(probe: Probe, load: () => Promise<void>): Promise<ProbeReading & { readonly loadMs: number }>;
}

/** Ends sessions, and waits until the server has ended them too: by then it has counted all that they did. */
async function endSessions(server: StartedPostgres, clients: readonly pg.Client[]): Promise<void> {
  const pids = clients.map((client) => (client as pg.Client & { readonly processID: number }).processID);
  await Promise.all(clients.map((client) => client.end()));
  const left = 'SELECT count(*)::int AS n FROM pg_stat_activity WHERE pid = ANY($1)';
  await expect.poll(() => query(server.adminUrl(), left, [pids])).toEqual([{ n: 0 }]);
  await untilCountsAreRead(server);
}

/** Describes the same for the servers that are here anyway: a system's and npm's newest differ most. */
export function describeProbed(
  name: string,
  options: Omit<PostgresOptions, 'reaper'>,
  tests: (probed: Probed) => void,
) {
  for (const binaries of serversHere()) {
    describe(`${name}, ${binaries.source.replace(/\/.*postgresql\//, '')}`, () =>
      tests(createProbed(withPostgres({ preload: ['pg_stat_statements'], ...options, binaries }))));
  }
}

/** The same with one server. */
export function createProbed(server: TestPostgres): Probed {
  let folder = '';
  let count = 0;
  let warnings: ProbeWarning[] = [];
  let cleanups: (() => Promise<unknown>)[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-probed-'));
  });
  afterEach(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
    cleanups = [];
    warnings = [];
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const context = (changes: Partial<ProbeContext> = {}): ProbeContext => ({
    postgres: server.postgres,
    generatorPid: process.pid,
    samplesFolder: folder,
    onWarning: (warning) => warnings.push(warning),
    ...changes,
  });
  return {
    server,
    get warnings() {
      return warnings;
    },
    context,
    async open(open, changes) {
      const probe = await open(context(changes));
      if ('absent' in probe) throw new Error(`${probe.name} is absent: ${probe.absent}`);
      cleanups.push(probe.close);
      return probe;
    },
    async database(...statements) {
      const name = `probed_${++count}`;
      await createDatabase(server.postgres, name);
      cleanups.push(() => dropDatabase(server.postgres, name));
      const url = server.postgres.adminUrl(name);
      const client = async (): Promise<pg.Client> => {
        const opened = new pg.Client({ connectionString: url, application_name: 'service' });
        opened.on('error', () => {});
        await opened.connect();
        cleanups.push(() => opened.end());
        return opened;
      };
      if (statements.length > 0) {
        const loader = new pg.Client({ connectionString: url });
        await loader.connect();
        for (const statement of statements) await loader.query(statement);
        await loader.end();
      }
      const arm: ProbedArm = {
        round: 1,
        slice: 2,
        arm: 'pool=10',
        database: name,
        url: 'http://localhost',
        pid: null,
        underLoad: () => true,
      };
      return {
        arm,
        url,
        client,
        end: (...clients) => endSessions(server.postgres, clients),
        async during(probe, load) {
          const mark = await probe.begin(arm);
          const startedMs = performance.now();
          await load();
          const loadMs = performance.now() - startedMs;
          const reading = await mark.end(wholeLoad(loadMs));
          if (reading === null) throw new Error(`no reading; warnings: ${JSON.stringify(warnings)}`);
          return { ...reading, loadMs };
        },
      };
    },
  };
}
