import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJournal } from '../../src/journal/journal.ts';
import { summarize } from '../../src/judge/summary.ts';
import { decideStop } from '../../src/judge/verdicts/stop-rule.ts';
import type { Goal } from './goal.ts';
import { type LargeJournal, type WrittenJournal, writeLargeJournal } from './large-journal.ts';

/** 500 rounds of 5 arms x 4 load levels x 5 slices: 50,000, as many nights of measuring would give. */
const manyNights = { rounds: 500, connections: [1, 10, 25, 50], slicesPerRound: 5 };
/** The longest run there is, 40 rounds of 15 slices of 5 s. */
const longestRun = { rounds: 40, connections: [1, 25, 50], slicesPerRound: 1 };
const LONGEST_ROUND_MS = 15 * 5000;

/**
 * Times are the smaller of the wall clock's and of the CPU's: the one counts whatever else the machine does, the other
 * the threads of the garbage collector too.
 */
interface Judged {
  /** From the file to the summary. */
  readonly summarizeMs: number;
  /** From the file to whether to stop, as after every round. */
  readonly decideMs: number;
  readonly peakMegabytes: number;
}

/** Judges journals with histograms of about 2 KB a slice, without and with probe records, each in its own process. */
export function benchJudge(): Goal[] {
  return [
    ...judgeGoals('without probes', { ...manyNights, probes: false }, { seconds: 3, megabytes: 300 }),
    ...judgeGoals('with probes', { ...manyNights, probes: true }, { seconds: 15, megabytes: 500 }),
    stopRuleGoal(),
  ];
}

function judgeGoals(
  name: string,
  size: LargeJournal,
  most: { readonly seconds: number; readonly megabytes: number },
): Goal[] {
  const { written, judged } = writeAndJudge(size);
  const seconds = judged.summarizeMs / 1000;
  const slices = `${written.slices.toLocaleString('en-US')} slices ${name}, ${written.megabytes} MB`;
  return [
    {
      name: `journal to summary, ${slices}`,
      measured: `${seconds.toFixed(1)} s (stop rule ${judged.decideMs} ms)`,
      goal: `< ${most.seconds} s`,
      reached: seconds < most.seconds,
    },
    {
      name: `journal to summary ${name}, most memory`,
      measured: `${judged.peakMegabytes} MB`,
      goal: `< ${most.megabytes} MB`,
      reached: judged.peakMegabytes < most.megabytes,
    },
  ];
}

/** Judging is overhead between two rounds: after the last round of the longest run it takes longest. */
function stopRuleGoal(): Goal {
  const { written, judged } = writeAndJudge({ ...longestRun, probes: true });
  const percent = (100 * judged.decideMs) / LONGEST_ROUND_MS;
  return {
    name: `whether to stop, after round ${longestRun.rounds} (${written.slices} slices with probes, ${written.megabytes} MB)`,
    measured: `${judged.decideMs} ms, ${percent.toFixed(2)} % of a round`,
    goal: '< 1 %',
    reached: percent < 1,
  };
}

function writeAndJudge(size: LargeJournal): { written: WrittenJournal; judged: Judged } {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-judge-'));
  const file = join(folder, 'journal.jsonl');
  try {
    const written = writeLargeJournal(file, size);
    const self = new URL(import.meta.url).pathname;
    const output = execFileSync(process.execPath, ['--import', './src/base/typescript.mjs', self, file], {
      encoding: 'utf8',
    });
    return { written, judged: JSON.parse(output) as Judged };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The stop rule first: in a run, too, nothing is warm yet. */
function judge(file: string): Judged {
  const decideMs = msOf(() => decideStop(readJournal(file, { probes: 'left out' })));
  const summarizeMs = msOf(() => summarize(readJournal(file)));
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
  return { summarizeMs, decideMs, peakMegabytes: Math.round(peak / 1024) };
}

function msOf(work: () => unknown): number {
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.round(Math.min(performance.now() - startMs, (user + system) / 1000));
}

const [, main, file] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href && file !== undefined) {
  console.log(JSON.stringify(judge(file)));
}
