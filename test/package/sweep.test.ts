import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJournal } from '../../src/journal/journal.ts';
import { exitCodeOf } from '../cli/cli.ts';
import { installedPgsweep } from './package.ts';

/** Other releases of Node run this file, too (`.ci/nodes`), so that it is short. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-user-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const files = {
  'pgsweep.yaml': `title: Installed
target: { service: documents }
sweep: { pool: { env: POOL_MAX, levels: [2, 4] } }
control: { pool: 2 }
load: { bulk: { module: import.ts, options: { schools: 40 } }, connections: 4, slice: 1s, warmup: 500ms, module: requests.ts }
stack: { postgres: { version: 18 } }
`,
  'requests.ts': `import type { WorkloadModule } from 'pgsweep';
import { schools } from './paths.ts';

export default (({ random }) => () => ({ path: schools(random.integer(1, 5)), name: 'list' })) satisfies WorkloadModule;
`,
  'import.ts': `import type { BulkCheckFunction, BulkModule } from 'pgsweep';

const schools: BulkModule = function* ({ options }) {
  for (let schoolId = 1; schoolId <= Number(options.schools); schoolId++)
    yield { path: '/ed-fi/schools', body: { schoolId, nameOfInstitution: 'x' } };
};
export default schools;

export const check: BulkCheckFunction = async ({ query, loaded }) => {
  const [row] = await query('SELECT count(*)::int AS found FROM documents');
  return { missing: loaded - Number(row?.found), doubled: 7 };
};
`,
  'paths.ts': 'export const schools = (limit: number): string => `/ed-fi/schools?limit=${limit}`;\n',
};

it('makes a quick sweep in a folder of the user, with a bulk load and requests of modules in TypeScript', async () => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const run = join(folder, 'run');
  const { code, err } = await installedPgsweep(folder, 'sweep', '--quick', '--out', run);
  expect(code, err).toBe(exitCodeOf(run));
  const journal = readJournal(join(run, 'journal.jsonl'));
  expect(journal.run.provenance).toMatchObject({
    nodeVersion: process.versions.node,
    postgresVersion: expect.stringMatching(/^18/),
  });
  const slices = [...journal.records].filter((record) => record.type === 'slice');
  expect(slices.filter(({ load }) => load.of === 'bulk').map(({ outcomes }) => outcomes.statuses)).toEqual(
    Array(3).fill({ '201': 40 }),
  );
  const reads = slices.filter(({ load }) => load.of !== 'bulk');
  expect(reads).toHaveLength(3);
  for (const { outcomes } of reads) expect(outcomes.statuses['200']).toBeGreaterThan(0);
  const checks = [...journal.records].filter((record) => record.type === 'bulk-check');
  expect(checks.map(({ check }) => check)).toEqual(
    Array(3).fill({ missing: 0, unexpected: 0, doubled: 7, dangling: 0 }),
  );
  expect(readFileSync(join(run, 'report.md'), 'utf8')).toContain('pool=4');
});
