import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Summary } from '../../src/analysis/summary.ts';
import { installedPgsweep } from './package.ts';

/** Run with several releases of Node (`.ci/nodes`), so that it is short. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-user-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('makes a quick sweep in a folder of the user, with requests from a module in TypeScript', async () => {
  writeFileSync(
    join(folder, 'paths.ts'),
    'export const schools = (limit: number): string => `/ed-fi/schools?limit=${limit}`;\n',
  );
  writeFileSync(
    join(folder, 'requests.ts'),
    `import type { WorkloadModule } from 'pgsweep';
import { schools } from './paths.ts';

export default (({ random }) => () => ({ path: schools(random.integer(1, 5)), name: 'list' })) satisfies WorkloadModule;
`,
  );
  writeFileSync(
    join(folder, 'pgsweep.yaml'),
    `title: Installed
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 500 }
sweep: { pool: { env: POOL_MAX, levels: [2, 4] } }
control: { pool: 2 }
load: { connections: 4, slice: 1s, warmup: 500ms, module: requests.ts }
`,
  );
  const summary = JSON.parse(await installedPgsweep(folder, 'sweep', '--quick', '--json', '--quiet')) as Summary;
  console.log(JSON.stringify(summary).slice(0, 3000));
  expect(summary.run.variants).toEqual(['pool=2', 'pool=4']);
});
