/** Live searches for the pool of a planted service, whose best is 12: on this machine as it is, and beside a neighbour. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Goal } from './goal.ts';
import { runJson } from './sweep-json.ts';

const SCENARIO = fileURLToPath(new URL('tune/pool.yaml', import.meta.url));
const NEIGHBOUR = fileURLToPath(new URL('neighbour.mjs', import.meta.url));
const SESSIONS = 5;
/** Sessions that take a pool of 9 to 16, at least. */
const PROMISED = { 'a quiet machine': 4, 'a neighbour': 3 } as const;

/** The pool that a search takes; null where it decides on none. */
function poolTaken(seed: number): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-tune-'));
  try {
    const { recommended, run, search } = runJson('tune', SCENARIO, join(folder, 'run'), '--seed', String(seed));
    const { variant } = recommended;
    console.error(
      `seed ${seed}: ${variant ?? 'none'} after ${search?.rounds} rounds and ${run.rounds} of confirmation`,
    );
    return variant === null ? null : Number(variant.slice('pool='.length));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function benchTuneLive(sessions = SESSIONS): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const [beside, promised] of Object.entries(PROMISED)) {
    const neighbour = beside === 'a neighbour' ? spawn(process.execPath, [NEIGHBOUR, '6000', '1']) : null;
    const pools = Array.from({ length: sessions }, (_, session) => poolTaken(session + 1));
    neighbour?.kill();
    const good = pools.filter((pool) => pool !== null && pool >= 9 && pool <= 16).length;
    goals.push({
      name: `search: a pool of 9 to 16, the best, beside ${beside}`,
      measured: `${good} of ${sessions} (${pools.map((pool) => pool ?? 'none').join(', ')})`,
      goal: `${promised} of ${SESSIONS}`,
      reached: good >= promised,
    });
  }
  return goals;
}
