import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { loadDataset } from '../../../src/measure/dataset/load-dataset.ts';
import type { StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';
import { withConnection } from '../../../src/measure/stack/common/query.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';

let reaper: Reaper;
let server: StartedPostgres;
beforeAll(async () => {
  reaper = startReaper();
  server = await startEmbeddedPostgres({ reaper });
});
afterAll(async () => {
  await server.stop();
  await reaper.close();
});

/** A database that is not there. */
const nowhere = 'postgres://me@db.test/empty';

function run(
  command: string,
  signal: AbortSignal,
  onProgress: (message: string) => void = () => {},
  databaseUrl = nowhere,
) {
  const spec = { kind: 'command', command, cwd: import.meta.dirname } as const;
  return loadDataset(spec, databaseUrl, { reaper, signal, onProgress });
}

it('a command is ended where the run is interrupted while it is being started', async () => {
  const abort = new AbortController();
  const running = run('exec sleep 600', abort.signal);
  abort.abort(new Error('Ctrl-C'));
  await expect(running).rejects.toThrow('Ctrl-C');
});

it('none is started after an interruption', async () => {
  await expect(run('exit 3', AbortSignal.abort(new Error('Ctrl-C')))).rejects.toThrow('Ctrl-C');
});

it('one that fails is told with its last lines', async () => {
  await expect(run('echo no such table; exit 3', new AbortController().signal)).rejects.toThrow(
    `the data set's command "echo no such table; exit 3" ended with exit code 3. Its last lines:\nno such table`,
  );
});

const writes = (report: unknown) => `printf %s '${JSON.stringify(report)}' > "$PGSWEEP_DATASET_REPORT"`;

it('one may report what it has loaded', async () => {
  const examples = [{ id: '7', resource: 'items', body: { name: 'a' } }];
  const shown: string[] = [];
  const command = writes({
    documents: 2,
    byResource: { items: 2 },
    fingerprint: 'f',
    examples,
    notes: ['one was odd'],
  });
  const { signal } = new AbortController();
  const loaded = await run(command, signal, (message) => shown.push(message), server.adminUrl());
  expect(loaded.examples).toEqual(examples);
  expect(loaded.record).toMatchObject({ documents: 2, byResource: { items: 2 }, fingerprint: 'f' });
  expect(shown.slice(1)).toEqual(['one was odd']);
});

it('what one has loaded is analyzed and vacuumed, as that of SQL files', async () => {
  const sql = 'CREATE TABLE things AS SELECT n % 7 AS kind FROM generate_series(1, 1000) n';
  const ask = `const { default: pg } = await import('pg'); const client = new pg.Client(process.env.DATABASE_URL);
    await client.connect(); await client.query('${sql}'); await client.end()`;
  const command = `node --input-type=module --eval "${ask.replace(/\s+/g, ' ')}"`;
  await run(command, new AbortController().signal, () => {}, server.adminUrl());
  const facts = await withConnection(server.adminUrl(), (connection) =>
    connection(`SELECT reltuples, relallvisible > 0 AS visible,
      (SELECT n_distinct FROM pg_stats WHERE tablename = relname) AS kinds FROM pg_class WHERE relname = 'things'`),
  );
  expect(facts).toEqual([{ reltuples: 1000, visible: true, kinds: 7 }]);
});

it("one that goes by libpq's variables has the empty database, and nothing of the user's own server", async () => {
  for (const [name, value] of Object.entries({ PGHOST: 'prod.test', PGDATABASE: 'app', PGOPTIONS: '-c a.b=c' }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const running = run('echo "$PGHOST $PGUSER $PGDATABASE <$PGOPTIONS>"; exit 3', new AbortController().signal);
  await expect(running).rejects.toThrow(/\ndb\.test me empty <>$/);
});

it.each([
  [
    'says why it failed',
    { error: { message: 'no items', hint: 'Make some.' } },
    { message: 'no items', hint: 'Make some.' },
  ],
  [
    'reports what is no report',
    { documents: 'two' },
    { message: expect.stringContaining('documents: a whole number') },
  ],
])('one that %s is an error of the data set', async (_, report, error) => {
  const running = run(`${writes(report)}; exit 1`, new AbortController().signal);
  await expect(running).rejects.toMatchObject({ code: 'dataset', ...error });
});

it('one that cannot be started is an error of the data set', async () => {
  const spec = { kind: 'command', command: 'true', cwd: '/no/such/folder' } as const;
  const { signal } = new AbortController();
  const running = loadDataset(spec, nowhere, { reaper, signal, onProgress: () => {} });
  await expect(running).rejects.toMatchObject({ code: 'dataset' });
});
