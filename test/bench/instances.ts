import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Goal } from './goal.ts';

/** 4 instances with a pool of 30 each, where Postgres has 100 connections. */
const planted = `target: { service: documents }
sweep:
  pool: { env: POOL_MAX, levels: [10, 30] }
  instances: { instances: [1, 4] }
control: { pool: 10, instances: 1 }
load: { connections: 50, workload: upsert-schools }
stack: { postgres: { settings: { max_connections: 100 } } }
`;
const WANTED = '4 instances x 30 = 120';

/** A planted over-commitment is named before anything starts, by a plan and by a sweep. */
export function benchInstances(): Goal[] {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-overcommitted-'));
  try {
    const file = join(folder, 'overcommitted.yaml');
    writeFileSync(file, planted);
    return [
      named('plan', ['plan', file], folder),
      named('sweep', ['sweep', file, '--out', join(folder, 'run')], folder),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function named(command: string, args: readonly string[], folder: string): Goal {
  const startMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['src/cli/bin.mjs', ...args], { encoding: 'utf8' });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const line = stderr.split('\n').find((one) => one.includes(WANTED)) ?? stderr.slice(0, 300);
  const started = /starting Postgres|loading/.test(stderr) || existsSync(join(folder, 'run', 'journal.jsonl'));
  return {
    name: `4 instances x pool 30 on 100 connections, pgsweep ${command}`,
    measured: `exit code ${status} after ${seconds} s: ${line.trim()}`,
    goal: 'exit code 2 with the sum, before anything starts',
    reached: status === 2 && line.includes(WANTED) && !started,
  };
}
