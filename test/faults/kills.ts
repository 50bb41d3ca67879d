import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode } from '../../src/base/errors.ts';
import { leftLedgers } from '../../src/base/process/ledger.ts';
import { sharedMemoryOf } from '../../src/base/process/shared-memory.mjs';
import { readJournal } from '../../src/journal/journal.ts';
import type { PassRecord } from '../../src/journal/pass-records.ts';
import { type RunningCli, startCli } from '../cli/cli.ts';
import { descendantsOf, type RunningProcess, runningProcesses } from '../support/processes.ts';
import { withoutProc } from '../support/without-proc.ts';
import { type Context, createTally, EXIT_CODES, type PartResult, range } from './part.ts';
import { sweepArgs } from './small-sweep.ts';

/** Which process is killed, by how it is called. */
const patterns = {
  guard: /reaper\.mjs/,
  generator: /generator-main/,
  service: /items\.mjs/,
  postmaster: /postgres -D/,
  backend: /^postgres: pgsweep pgsweep_/,
  checkpointer: /^postgres: checkpointer/,
} as const;

/**
 * The bench itself: killed, interrupted as by Ctrl-C, killed together with its guard (and then cleaned up after where
 * nothing shows when a process started), or killed again once resumed.
 */
const ownEnds = ['bench', 'Ctrl-C', 'bench and guard', 'bench and guard, no start times', 'bench twice'] as const;

type Victim = keyof typeof patterns | (typeof ownEnds)[number];

const victims: readonly Victim[] = [...ownEnds, ...(Object.keys(patterns) as (keyof typeof patterns)[])];
const GONE_MS = 20_000;
const LOOK_MS = 20;
/** This many runs at a time: each waits for two thirds of its time, and two processors are never idle. */
const AT_ONCE = 4;

/**
 * Runs whose processes are killed at random moments, and which are then gone on with: the plan is that of a run that
 * nobody disturbed, every finished round stands as it stood, and nothing is left.
 */
export async function kills({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  const { plan, lastsMs, fault } = await undisturbed(folder);
  if (fault !== null) {
    tally.fault(fault);
    return tally.result();
  }
  const planned = range(from, to).flatMap((i) =>
    victims.map((victim): Kill => {
      const run = join(folder, `killed-${i}-${victim.replaceAll(' ', '-')}`);
      return { run, victim, probes: i % 2 === 0, afterMs: random.integer(300, Math.round(lastsMs)), plan };
    }),
  );
  const work = async (): Promise<void> => {
    for (let one = planned.shift(); one !== undefined; one = planned.shift()) {
      const { run, victim, afterMs } = one;
      const { outcome, faults } = await killOnce(one);
      tally.count(`${victim}: ${outcome}`);
      for (const fault of faults) tally.fault(`${victim} killed after ${afterMs} ms: ${fault}; ${run}`);
      if (faults.length === 0) rmSync(run, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return tally.result();
}

/** Runs that nobody disturbs: the plan of all, since all have one seed, and how long they last. */
interface Undisturbed {
  readonly plan: ReadonlyMap<number, RoundPlan>;
  readonly lastsMs: number;
  /** Null where all of them ended as they should. */
  readonly fault: string | null;
}

let first: Promise<Undisturbed> | undefined;

/** Made once by each process, as many as run at once later, so that those last as long. */
function undisturbed(folder: string): Promise<Undisturbed> {
  first ??= undisturbedIn(folder);
  return first;
}

async function undisturbedIn(folder: string): Promise<Undisturbed> {
  const startMs = performance.now();
  const runs = Array.from({ length: AT_ONCE }, (_, i) => join(folder, `undisturbed-${i}`));
  const all = await Promise.all(runs.map((run, i) => startCli(sweepArgs(run, { probes: i % 2 === 0 })).done));
  const lastsMs = performance.now() - startMs;
  const failed = all.find(({ code }) => code !== 0 && code !== 3);
  if (failed !== undefined) {
    const fault = `a sweep that nobody disturbed ended with ${failed.code}: ${failed.err}`;
    return { plan: new Map(), lastsMs, fault };
  }
  return { plan: planOf(join(folder, 'undisturbed-0', 'journal.jsonl')), lastsMs, fault: null };
}

/** Where the servers of a run have their folders: none may be there afterwards. Their user is another one. */
function serversOf(run: string): string {
  return `${run}-servers`;
}

interface Kill {
  readonly run: string;
  readonly victim: Victim;
  readonly probes: boolean;
  readonly afterMs: number;
  readonly plan: ReadonlyMap<number, RoundPlan>;
}

async function killOnce({ run, victim, probes, afterMs, plan }: Kill): Promise<{ outcome: string; faults: string[] }> {
  const env = { PGSWEEP_TMP: serversOf(run) };
  mkdirSync(env.PGSWEEP_TMP);
  const sweep = startCli(sweepArgs(run, { probes }), { env });
  await Promise.race([sleep(afterMs), sweep.done]);
  const { killed, faults } = await endBy(victim, run, sweep);
  const journal = join(run, 'journal.jsonl');
  if (!killed) return { outcome: 'not there', faults };
  if (!existsSync(journal) || !readFileSync(journal, 'utf8').includes('\n'))
    return { outcome: 'before the first line', faults };
  const finished = finishedPart(journal);
  const resume = ['sweep', '--resume', run, '--rounds', '3', '--quiet'];
  if (victim === 'bench twice') {
    const again = startCli(resume, { env });
    await Promise.race([sleep(afterMs), again.done]);
    faults.push(...(await endBy(victim, run, again)).faults);
  }
  const resumed = await startCli(resume, { env }).done;
  faults.push(...readdirSync(env.PGSWEEP_TMP).map((name) => `the resumed run has left ${name}`));
  if (resumed.code !== 0 && resumed.code !== 3) faults.push(`cannot be resumed (${resumed.code}): ${resumed.err}`);
  if (!readFileSync(journal).subarray(0, finished.length).equals(finished)) faults.push('a finished round was changed');
  const after = planOf(journal);
  for (const [round, own] of plan)
    if (!isSamePlan(own, after.get(round))) faults.push(`round ${round} has another order`);
  return { outcome: 'resumed', faults };
}

/** Kills a process of a run that is under way, and waits until nothing of the run is left. */
async function endBy(victim: Victim, run: string, sweep: RunningCli): Promise<{ killed: boolean; faults: string[] }> {
  const seen = await seenWith(victim, sweep);
  const memory = seen.filter(({ args }) => patterns.postmaster.test(args)).map(({ pid }) => sharedMemoryOf(pid));
  const killed = kill(victim, sweep.pid, seen);
  const { code, err } = await sweep.done;
  const unseen = victim === 'bench and guard, no start times' ? await cleanUnseen(run, seen) : [];
  if (victim.startsWith('bench and guard')) await startCli(['clean']).done;
  const faults = [...unseen, ...(await leftOf(run, seen, memory))];
  // One that was killed itself has no exit code; one that was about to end ends as it would have.
  const expected: readonly (number | null)[] = [
    ...EXIT_CODES,
    victim.startsWith('bench') ? null : victim === 'Ctrl-C' ? ExitCode.interrupted : ExitCode.done,
    // Before the first line the bench may not be there yet, and Node.js ends as any program does.
    ...(victim === 'Ctrl-C' && err === '' ? [null] : []),
  ];
  const isExpected = expected.includes(code);
  return { killed, faults: isExpected ? faults : [`exit code ${code}: ${err}`, ...faults] };
}

/** What a run has started, from the moment on when the victim is there; without it where the run ends before. */
async function seenWith(victim: Victim, sweep: RunningCli): Promise<RunningProcess[]> {
  const pattern = victim in patterns ? patterns[victim as keyof typeof patterns] : null;
  let isOver = false;
  void sweep.done.then(() => {
    isOver = true;
  });
  for (;;) {
    const seen = descendantsOf(sweep.pid);
    if (pattern === null || isOver || seen.some(({ args }) => pattern.test(args))) return seen;
    await sleep(LOOK_MS);
  }
}

function kill(victim: Victim, bench: number, seen: readonly RunningProcess[]): boolean {
  const guard = seen.find(({ args }) => patterns.guard.test(args))?.pid;
  switch (victim) {
    case 'bench':
    case 'bench twice':
      return send(bench, 'SIGKILL');
    case 'Ctrl-C':
      return send(bench, 'SIGINT');
    case 'bench and guard':
    case 'bench and guard, no start times': {
      // A guard that stands still cannot begin before it is killed too.
      if (guard !== undefined) send(guard, 'SIGSTOP');
      const wasThere = send(bench, 'SIGKILL');
      if (guard !== undefined) send(guard, 'SIGKILL');
      return wasThere;
    }
    default: {
      const found = seen.find(({ args }) => patterns[victim].test(args));
      return found !== undefined && send(found.pid, 'SIGKILL');
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Cleans up where nothing shows when a process started: whatever runs stays, and so do the folders of all servers. */
async function cleanUnseen(run: string, seen: readonly RunningProcess[]): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const alive = (): RunningProcess[] => {
    const now = new Map(runningProcesses().map((one) => [one.pid, one.args]));
    return seen.filter(({ pid, args }) => now.get(pid) === args);
  };
  const servers = alive().filter(({ args }) => patterns.postmaster.test(args));
  const folders = readdirSync(serversOf(run));
  const { code, out } = await startCli(['clean'], { through: withoutProc() }).done;
  if (servers.length === 0) return [];
  const now = alive();
  return [
    ...servers
      .filter((one) => !now.some(({ pid }) => pid === one.pid))
      .map(({ pid }) => `clean has ended ${pid} on suspicion`),
    ...folders
      .filter((name) => !existsSync(join(serversOf(run), name)))
      .map((name) => `clean has deleted ${name} on suspicion`),
    ...(code === ExitCode.unfit ? [] : [`clean of what may run ended with ${code}: ${out}`]),
  ];
}

/** What is left after a while of what a run had started. */
async function leftOf(
  run: string,
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
      ...readdirSync(serversOf(run)).map((name) => `${serversOf(run)}/${name} is left`),
      ...leftLedgers(run).map(({ file }) => `${file} is left`),
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
