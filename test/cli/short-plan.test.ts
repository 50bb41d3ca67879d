import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a plan tells of rounds that are shorter than usual, as the sweep that follows it has them', async () => {
  const planned = async (budget: string) => {
    const file = join(folder, 'budget.yaml');
    writeFileSync(
      file,
      `target: { command: node s.js, database: none }\nsweep: { pool: { env: POOL_MAX, levels: [5, 10, 20, 40] } }\ncontrol: { pool: 10 }\nload: { connections: [8, 25], requests: [{ path: / }] }\nrounds: { budget: ${budget} }\n`,
    );
    const { out, err } = await run('plan', file, '--json');
    return { plan: JSON.parse(out), err };
  };
  const short = await planned('2m');
  expect(short.err).toContain(
    `The budget has room for ${short.plan.rounds} rounds because they are short: slices have`,
  );
  const roomy = await planned('10m');
  expect(roomy.err).not.toContain('short');
  expect(short.plan.roundMs).toBeLessThan(roomy.plan.roundMs);
});
