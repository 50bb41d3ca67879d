import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJournal } from '../../src/journal/journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import type { Goal } from './goal.ts';

const ROUNDS = 2;
/** The budget of the default scenario. */
const BUDGET_MS = 600_000;

/**
 * A real sweep of the default scenario: how many rounds ten minutes have, how much of them is load, and what the bench's
 * own process needs. Measured over two rounds, of which the first has what a session needs once; the others are like the
 * second.
 */
export async function benchSweep(): Promise<Goal[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-bench-'));
  const run = join(folder, 'run');
  try {
    const { wallMs, peakBytes } = await sweep(run);
    const records = [...readJournal(join(run, 'journal.jsonl')).records];
    const { rounds, loadShare, countedShare, phases } = inTenMinutes(records, wallMs);
    const megabytes = peakBytes / 2 ** 20;
    return [
      { name: 'rounds in ten minutes', measured: rounds.toFixed(1), goal: '>= 6', reached: rounds >= 6 },
      {
        name: 'under load, warm-up included, share of ten minutes',
        measured: `${loadShare.toFixed(3)} (a round: ${phases})`,
        goal: '>= 0.85',
        reached: loadShare >= 0.85,
      },
      {
        name: 'in turns that count, share of ten minutes',
        measured: countedShare.toFixed(3),
        goal: '>= 0.55',
        reached: countedShare >= 0.55,
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

/** What two rounds say of as many as fit into the budget. */
function inTenMinutes(records: readonly JournalRecord[], wallMs: number) {
  const rounds = records.flatMap((record) => (record.type === 'round' ? [record] : []));
  const [first, later] = rounds;
  if (first === undefined || later === undefined) throw new Error(`${rounds.length} of ${ROUNDS} rounds were finished`);
  const sliceMs = ({ round }: { readonly round: number }): number =>
    records.reduce((sum, one) => (one.type === 'slice' && one.round === round ? sum + one.loadMs : sum), 0);
  const roundsMs = rounds.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const onceMs = wallMs - roundsMs + first.durationMs;
  const laterRounds = (BUDGET_MS - onceMs) / later.durationMs;
  const shareOf = (ofFirst: number, ofLater: number): number => (ofFirst + laterRounds * ofLater) / BUDGET_MS;
  return {
    rounds: 1 + laterRounds,
    loadShare: shareOf(first.phases.warmupMs + first.phases.sliceMs, later.phases.warmupMs + later.phases.sliceMs),
    countedShare: shareOf(sliceMs(first), sliceMs(later)),
    phases: Object.entries(later.phases)
      .map(([phase, ms]) => `${phase} ${Math.round(ms)}`)
      .join(', '),
  };
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
