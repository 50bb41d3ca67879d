import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type CliResult, startCli } from '../../cli/cli.ts';
import {
  bookService,
  folderState,
  plantedRepository,
  SCHEMA,
  withPackages,
} from '../../measure/against/planted-repository.ts';

const SCENARIO = `target: { command: node server.mjs }
dataset: { sql: schema.sql }
against: main
load: { connections: 1, slice: 300ms, warmup: 100ms, requests: [{ path: /books }] }
rounds: { min: 1, max: 1 }
`;

it('a sweep against main that is killed leaves the repository as it was, goes on with its snapshots, and is cleaned up after', async () => {
  const repository = plantedRepository();
  onTestFinished(() => repository.remove());
  withPackages(repository);
  repository.commit('base', { 'server.mjs': bookService(), 'schema.sql': SCHEMA, 'pgsweep.yaml': SCENARIO });
  repository.write({ 'server.mjs': `// mine\n${bookService()}` });
  const before = folderState(repository.folder);
  const options = { cwd: repository.folder, env: { XDG_CACHE_HOME: repository.cache } };
  const kept = join(repository.cache, 'pgsweep/against');
  const run = join(repository.cache, 'run');
  const pgsweep = (...args: string[]): Promise<CliResult> => startCli(args, options).done;
  const killed = startCli(['sweep', '--out', run], options);
  await killed.until('run folder');
  process.kill(killed.pid, 'SIGKILL');
  await killed.done;
  expect(folderState(repository.folder)).toBe(before);
  // The folder is another by now; its snapshot is not.
  repository.write({ 'server.mjs': 'throw new Error("edited")' });
  const resumed = await pgsweep('sweep', '--resume', run, '--quiet');
  expect([0, 3], resumed.err).toContain(resumed.code);
  expect(existsSync(join(run, 'summary.json'))).toBe(true);
  const cleaned = await pgsweep('clean');
  expect(cleaned.code, cleaned.out).toBe(0);
  expect(readdirSync(kept)).toEqual([]);
  const gone = await pgsweep('sweep', '--resume', run, '--rounds', '2');
  expect(gone.err).toContain('of this run is gone');
});
