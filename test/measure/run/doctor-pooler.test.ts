import { afterEach, expect, it, vi } from 'vitest';
import { examinePooler, requirePooler } from '../../../src/measure/run/doctor/pooler.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

afterEach(() => void vi.unstubAllEnvs());

const scenario = (pooler: string) =>
  parseScenario(
    `target: { command: x }\nvariants: { A: { pooler: ${pooler} } }\ncontrol: A\nload: { connections: 1, requests: [{ path: / }] }\n`,
    'x.yaml',
  );

it('PgBouncer is looked for where a scenario has one, and is then required', async () => {
  vi.stubEnv('PGBOUNCER_BIN', '/nowhere/pgbouncer');
  expect(await examinePooler(scenario('off'))).toEqual([]);
  expect(await requirePooler(scenario('off'))).toBeNull();
  expect(await examinePooler(scenario('{ pgbouncer: {} }'))).toMatchObject([
    { name: 'pgbouncer', state: 'problem', advice: expect.stringContaining('apt-get install pgbouncer') },
  ]);
  await expect(requirePooler(scenario('{ pgbouncer: {} }'))).rejects.toMatchObject({ code: 'stack' });
});
