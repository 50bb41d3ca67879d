import { describe, expect, it } from 'vitest';
import { run } from './in-process.ts';

describe('the plan of settings that are switched live', () => {
  it('shows each switch, that there is one process, and what switching costs', async () => {
    const { code, out } = await run('plan', 'scenarios/pool-size-live.yaml');
    expect(code).toBe(0);
    expect(out).toContain('pool=10  control: PUT /admin/settings {"poolMax":10}\n');
    expect(out).toContain('pool=25  PUT /admin/settings {"poolMax":25}\n');
    expect(out).toMatch(/switched live: in every round one process of the service and one database for all arms\n/);
    expect(out).toMatch(/in blocks, about \d+ a load level, each arm once forwards and once backwards/);
    expect(out).toMatch(
      /about \d+ switches a round, each seen before its turn, with 100 ms of load after it that is not counted: \d/,
    );
    expect(out).toContain('including at most 5 s warm-up (3,000 requests of all arms together, chosen again');
    expect(out).not.toContain('copy of the loaded database');
  });
});
