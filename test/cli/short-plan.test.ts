import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a plan with time to settle what is open', () => {
  const planned = async (rounds: string, ...options: string[]) => {
    const file = join(folder, 'settle.yaml');
    writeFileSync(
      file,
      `target: { command: node s.js, database: none }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { connections: 8, slice: 5s, warmup: 3s, requests: [{ path: / }] }\nrounds: ${rounds}\n`,
    );
    return run('plan', file, ...options);
  };

  it('counts it until there can be verdicts', async () => {
    expect((await planned('{ budget: 1m }')).out).toContain('no verdicts: they start at 4 rounds');
    const { out } = await planned('{ budget: 1m, settleWithin: 4m }');
    expect(out).not.toContain('no verdicts');
    expect(out).toMatch(
      /\nrounds: 4 to 40, budget 1 min, up to 4 min while that should settle what is open: about 4, fewer if all verdicts come earlier\nexpected: at most 4\.0 minutes\n/,
    );
  });

  it('has it as an option, as a sweep has', async () => {
    const { code, out } = await planned('{ budget: 1m }', '--settle-within', '3m');
    expect(code).toBe(0);
    expect(out).toContain('budget 1 min, up to 3 min while');
    expect((await planned('{ budget: 1m }', '--settle-within', '3m', '--rounds', '5')).err).toContain('cannot be used');
  });

  it('says fewer rounds only where verdicts may make them fewer', async () => {
    expect((await planned('{ max: 100, budget: 2h }')).out).toMatch(
      /about 100, fewer if all verdicts come by round 40\n/,
    );
    expect((await planned('{ budget: 2h }', '--rounds', '6')).out).toMatch(/\nrounds: 6: about 6\n/);
  });
});

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
