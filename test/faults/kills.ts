import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { leftLedgers } from '../../src/base/process/ledger.ts';
import { sharedMemoryOf } from '../../src/base/process/shared-memory.mjs';
import { readJournal } from '../../src/journal/journal.ts';
import type { PassRecord } from '../../src/journal/pass-records.ts';
import { startCli } from '../cli/cli.ts';
import { descendantsOf, type RunningProcess, runningProcesses } from '../support/processes.ts';
import { type Context, createTally, type PartResult } from './part.ts';
import { sweepArgs } from './small-sweep.ts';

type Victim = 'bench' | 'guard' | 'generator' | 'service' | 'postmaster' | 'backend' | 'bench and guard';

const patterns: Readonly<Record<Exclude<Victim, 'bench' | 'bench and guard'>, RegExp>> = {
  guard: /reaper\.mjs/,
  generator: /generator-main/,
  service: /items\.mjs/,
  postmaster: /postgres -D/,
  backend: /^postgres: postgres pgsweep/,
};
const victims: readonly Victim[] = [
  'bench',
  'guard',
  'generator',
  'service',
  'postmaster',
  'backend',
  'bench and guard',
];
const GONE_MS = 20_000;

/**
 * Runs whose processes are killed at random moments, and which are then gone on with: the plan is that of a run that
 * nobody disturbed, every finished round stands as it stood, and nothing is left.
 */
export async function kills({ size, random, folder }: Context): Promise<PartResult> {
  const tally = createTally('kills');
  const undisturbed = join(folder, 'undisturbed');
  const startMs = performance.now();
  const first = await startCli(sweepArgs(undisturbed)).done;
  if (first.code !== 0 && first.code !== 3) return tally.result(`no sweep runs here: ${first.err.split('\n')[0]}`);
  const lastsMs = performance.now() - startMs;
  const plan = planOf(join(undisturbed, 'journal.jsonl'));
  for (let i = 0; i < size.kills; i++) {
    for (const victim of victims) {
      const run = join(folder, `killed-${i}-${victim.replaceAll(' ', '-')}`);
      const afterMs = random.integer(300, Math.round(lastsMs));
      const { outcome, faults } = await killOnce({ run, victim, afterMs, plan });
      tally.count(`${victim}: ${outcome}`);
      for (const fault of faults) tally.fault(`${victim} killed after ${afterMs} ms: ${fault}; ${run}`);
      if (faults.length === 0) rmSync(run, { recursive: true, force: true });
    }
  }
  return tally.result();
}

interface Kill {
  readonly run: string;
  readonly victim: Victim;
  readonly afterMs: number;
  readonly plan: ReadonlyMap<number, RoundPlan>;
}

async function killOnce({ run, victim, afterMs, plan }: Kill): Promise<{ outcome: string; faults: string[] }> {
  const sweep = startCli(sweepArgs(run));
  await Promise.race([sleep(afterMs), sweep.done]);
  const seen = descendantsOf(sweep.pid);
  const memory = seen.filter(({ args }) => patterns.postmaster.test(args)).map(({ pid }) => sharedMemoryOf(pid));
  const killed = kill(victim, sweep.pid, seen);
  const { code, err } = await sweep.done;
  const faults: string[] = [];
  const journal = join(run, 'journal.jsonl');
  if (victim === 'bench and guard') await startCli(['clean']).done;
  if (!victim.startsWith('bench') && ![0, 2, 3].includes(code ?? -1)) faults.push(`exit code ${code}: ${err}`);
  faults.push(...(await leftOf(seen, memory)));
  if (!killed) return { outcome: 'not there', faults };
  if (!existsSync(journal) || !readFileSync(journal, 'utf8').includes('\n'))
    return { outcome: 'before the first line', faults };
  const finished = finishedPart(journal);
  const resumed = await startCli(['sweep', '--resume', run, '--rounds', '3', '--quiet']).done;
  if (resumed.code !== 0 && resumed.code !== 3) faults.push(`cannot be resumed (${resumed.code}): ${resumed.err}`);
  if (!readFileSync(journal).subarray(0, finished.length).equals(finished)) faults.push('a finished round was changed');
  const after = planOf(journal);
  for (const [round, own] of plan)
    if (!isSamePlan(own, after.get(round))) faults.push(`round ${round} has another order`);
  return { outcome: 'resumed', faults };
}

function kill(victim: Victim, bench: number, seen: readonly RunningProcess[]): boolean {
  const guard = seen.find(({ args }) => patterns.guard.test(args))?.pid;
  if (victim === 'bench' || victim === 'bench and guard') {
    // A guard that stands still cannot begin before it is killed too.
    if (victim !== 'bench' && guard !== undefined) send(guard, 'SIGSTOP');
    const wasThere = send(bench, 'SIGKILL');
    if (victim !== 'bench' && guard !== undefined) send(guard, 'SIGKILL');
    return wasThere;
  }
  const found = seen.find(({ args }) => patterns[victim].test(args));
  return found !== undefined && send(found.pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** What is left after a while of what a run had started. */
async function leftOf(
  seen: readonly RunningProcess[],
  memory: readonly ReturnType<typeof sharedMemoryOf>[],
): Promise<string[]> {
  const left = (): string[] => {
    const now = new Map(runningProcesses().map((one) => [one.pid, one.args]));
    const segments = existsSync('/proc/sysvipc/shm')
      ? readFileSync('/proc/sysvipc/shm', 'utf8')
          .split('\n')
          .map((row) => Number(row.trim().split(/\s+/)[1]))
      : [];
    return [
      ...seen
        .filter(({ pid, args }) => now.get(pid) === args)
        .map(({ pid, args }) => `process ${pid} is left: ${args}`),
      ...memory.flatMap(({ files }) => files.filter((file) => existsSync(file)).map((file) => `${file} is left`)),
      ...memory.flatMap((one) =>
        one.segments.filter((id) => segments.includes(id)).map((id) => `shared memory ${id} is left`),
      ),
      ...leftLedgers().map(({ file }) => `${file} is left`),
    ];
  };
  const end = performance.now() + GONE_MS;
  while (left().length > 0 && performance.now() < end) await sleep(100);
  return left();
}

/** The bytes of a journal up to the end of its last finished round. */
function finishedPart(journal: string): Buffer {
  const text = readFileSync(journal, 'latin1');
  const at = text.lastIndexOf('{"type":"round",');
  const end = at < 0 ? -1 : text.indexOf('\n', at);
  return Buffer.from(text.slice(0, end < 0 ? text.indexOf('\n') + 1 : end + 1), 'latin1');
}

/** What was measured in which order in a round. */
interface RoundPlan {
  readonly levels: string;
  /** Null where some arm was seen to work while idle, and had whole slices: that is measured and not planned. */
  readonly turns: string | null;
}

function isSamePlan(before: RoundPlan, after: RoundPlan | undefined): boolean {
  if (after === undefined || before.levels !== after.levels) return false;
  return before.turns === null || after.turns === null || before.turns === after.turns;
}

/** The plans of rounds; of one that was begun twice that of the second time. */
function planOf(journal: string): Map<number, RoundPlan> {
  const passes = new Map<number, PassRecord[]>();
  const done = new Set<number>();
  for (const record of readJournal(journal).records) {
    if (record.type === 'resume') for (const round of [...passes.keys()]) if (!done.has(round)) passes.delete(round);
    if (record.type === 'round') done.add(record.round);
    if (record.type !== 'pass') continue;
    passes.set(record.round, [...(passes.get(record.round) ?? []), record]);
  }
  return new Map(
    [...passes].map(([round, own]) => {
      const levels = own.filter(({ repeated }) => repeated !== true).map(({ load }) => load);
      const isPlanned = own.every(({ repeated, wholeSlices }) => repeated !== true && wholeSlices === undefined);
      const turns = isPlanned ? JSON.stringify(own.map(({ arms, order }) => [arms, order])) : null;
      return [round, { levels: JSON.stringify(levels), turns }];
    }),
  );
}
