import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExitCode } from '../../src/base/errors.ts';
import { startReaper } from '../../src/base/process/reaper.ts';
import { query } from '../../src/measure/stack/common/query.ts';
import { startCli } from '../cli/cli.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';
import { type Context, createTally, type PartResult, range } from './part.ts';
import { sweepArgs } from './small-sweep.ts';

const items = resolve('test/fixtures/services/items.mjs');

/** How a service comes to another database than its copy. */
const ways = {
  dotenv: (url: string) => ({ '.env': `DATABASE_URL=${url}\n` }),
  'dotenv of its environment': (url: string) => ({ '.env.production': `# ours\nexport DATABASE_URL="${url}"\n` }),
  config: (url: string) => ({ 'config/default.json': JSON.stringify({ database: url }) }),
} as const;
type Way = keyof typeof ways;

/** How it is started: by itself, by a shell that stays, or in two processes. */
const starts = ['node service.mjs', 'sh -c "node service.mjs; true"', 'node workers.mjs'] as const;

/** Reads the file as dotenv with `override: true` does, or a config file, and runs the items service. */
const SERVICE = `import { existsSync, readFileSync } from 'node:fs';
for (const file of ['.env', '.env.production']) {
  if (!existsSync(file)) continue;
  for (const line of readFileSync(file, 'utf8').split('\\n')) {
    const [, key, value] = /^(?:export )?(\\w+)="?([^"]*)"?$/.exec(line) ?? [];
    if (key) process.env[key] = value;
  }
}
if (existsSync('config/default.json')) process.env.DATABASE_URL = JSON.parse(readFileSync('config/default.json', 'utf8')).database;
await import(${JSON.stringify(items)});
`;
const WORKERS = `import cluster from 'node:cluster';
if (cluster.isPrimary) {
  for (let i = 0; i < 2; i++) cluster.fork();
  process.on('SIGTERM', () => process.exit(0));
} else await import('./service.mjs');
`;

/**
 * Services that a file of theirs leads to another database: a run ends with exit code 2, and what they write there is
 * nothing where sockets can be seen. Where they cannot, the first round ends the run.
 */
export async function elsewhere({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  const reaper = startReaper();
  const other = await startEmbeddedPostgres({ reaper });
  try {
    await query(other.adminUrl(), 'CREATE TABLE items (id bigint PRIMARY KEY, name text NOT NULL)');
    for (const i of range(from, to)) {
      const names = Object.keys(ways) as Way[];
      const way = names[random.integer(0, names.length - 1)] ?? 'dotenv';
      const start = starts[random.integer(0, starts.length - 1)] ?? starts[0];
      const seesSockets = random.integer(0, 3) > 0;
      const run = join(folder, `elsewhere-${i}`);
      const own = serviceFolder(`${run}-service`, ways[way](other.adminUrl()), seesSockets);
      const args = sweepArgs(run, { probes: false, service: { command: start, cwd: own } });
      const env = seesSockets ? {} : { PATH: `${join(own, 'bin')}:${process.env.PATH}` };
      const { code, err } = await startCli(args, { env }).done;
      const [row] = await query(other.adminUrl(), 'SELECT count(*)::int AS rows FROM items');
      await query(other.adminUrl(), 'TRUNCATE items');
      tally.count(`${way}${seesSockets ? '' : ', sockets unseen'}`);
      const what = `${way} by ${start}${seesSockets ? '' : ', sockets unseen'}; ${run}`;
      if (code !== ExitCode.usage) tally.fault(`exit code ${code}: ${what}: ${err}`);
      if (seesSockets && row?.rows !== 0) tally.fault(`${row?.rows} rows were written elsewhere: ${what}`);
      const named = way === 'config' ? 'default.json' : '.env';
      if (seesSockets && !err.includes(named)) tally.fault(`${named} is not named: ${what}: ${err}`);
      if (!seesSockets && !/without one session or statement/.test(err)) tally.fault(`nobody says so: ${what}: ${err}`);
      rmSync(run, { recursive: true, force: true });
    }
  } finally {
    await other.stop();
    await reaper.close();
  }
  return tally.result();
}

function serviceFolder(folder: string, files: Readonly<Record<string, string>>, seesSockets: boolean): string {
  for (const below of ['config', 'bin']) mkdirSync(join(folder, below), { recursive: true });
  for (const [name, text] of Object.entries({ 'service.mjs': SERVICE, 'workers.mjs': WORKERS, ...files }))
    writeFileSync(join(folder, name), text);
  if (!seesSockets) {
    writeFileSync(join(folder, 'bin', 'ss'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(folder, 'bin', 'ss'), 0o755);
  }
  return folder;
}
