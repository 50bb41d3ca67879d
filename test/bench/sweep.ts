import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../../src/journal/journal.ts';
import type { Goal } from './goal.ts';

const ROUNDS = 2;

/** A real sweep of the default scenario: how much of its wall time is load, and what the bench's own process needs. */
export async function benchSweep(): Promise<Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-bench-'));
  const run = join(folder, 'run');
  try {
    const { wallMs, peakBytes } = await sweep(run);
    const records = [...readJournal(join(run, 'journal.jsonl')).records];
    const rounds = records.flatMap((record) => (record.type === 'round' ? [record] : []));
    const loadMs = rounds.reduce((sum, { phases }) => sum + phases.sliceMs + phases.warmupMs, 0);
    const sums = (['bootMs', 'waitMs', 'stopMs'] as const).map(
      (phase) => `${phase} ${Math.round(rounds.reduce((sum, { phases }) => sum + phases[phase], 0) / rounds.length)}`,
    );
    const share = loadMs / wallMs;
    const megabytes = peakBytes / 2 ** 20;
    return [
      {
        name: `slices and warm-up, share of the wall time of ${ROUNDS} rounds`,
        measured: `${share.toFixed(3)} (a round: ${sums.join(', ')})`,
        goal: '>= 0.8',
        reached: share >= 0.8,
      },
      {
        name: "the bench's own process, most memory",
        measured: `${megabytes.toFixed(0)} MB`,
        goal: '< 250 MB',
        reached: megabytes < 250,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function sweep(run: string): Promise<{ wallMs: number; peakBytes: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, ['src/cli/bin.mjs', 'sweep', '--rounds', String(ROUNDS), '--out', run], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child.pid ?? 0));
  }, 500);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(timer);
  // An unfit session (3) is this machine's business, and no matter of overhead.
  if (code !== 0 && code !== 3) throw new Error(`the sweep ended with exit code ${code}`);
  return { wallMs: performance.now() - start, peakBytes };
}

/** The most that a process has had resident so far; 0 where /proc does not tell. */
function peakOf(pid: number): number {
  try {
    return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
