import { afterEach, expect, it, vi } from 'vitest';
import { pooler } from '../../../../src/measure/link/pooler/part.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

afterEach(() => void vi.unstubAllEnvs());

const scenario = (spec: string) =>
  parseScenario(
    `target: { command: x }\nvariants: { A: { pooler: ${spec} } }\ncontrol: A\nload: { connections: 1, requests: [{ path: / }] }\n`,
    'x.yaml',
  );

it('PgBouncer is looked for where a scenario has one, and is then required', async () => {
  vi.stubEnv('PGBOUNCER_BIN', '/nowhere/pgbouncer');
  expect(await pooler.examine(scenario('off'))).toEqual([]);
  expect(await pooler.require(scenario('off'))).toEqual({});
  expect(await pooler.examine(scenario('{ pgbouncer: {} }'))).toMatchObject([
    { name: 'pgbouncer', state: 'problem', advice: expect.stringContaining('apt-get install pgbouncer') },
  ]);
  await expect(pooler.require(scenario('{ pgbouncer: {} }'))).rejects.toMatchObject({ code: 'stack' });
});
