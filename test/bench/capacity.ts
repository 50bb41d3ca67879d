/**
 * Does a search for a capacity find the truth? A queue of this many workers with exponential service times, a real server over
 * sockets, whose p95 theory knows: the intervals of 20 sessions hold the load at which it reaches the limit in 16 at least.
 * Each session that ended is kept, so that a bench that was interrupted goes on.
 *
 *   node --import ./src/base/typescript.mjs test/bench/capacity.ts [sessions] [connections|rate|users] [file of results]
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJournal } from '../../src/journal/journal.ts';
import { summarize } from '../../src/judge/summary.ts';
import type { ArmCapacity } from '../../src/judge/verdicts/capacity/summarize-capacities.ts';
import { decideStop } from '../../src/judge/verdicts/stop-rule.ts';
import { runFolderAt } from '../../src/measure/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import { startQueue } from '../support/queue-service.ts';
import { capacityOf, type Queue, usersOf } from '../support/queues.ts';
import type { Goal } from './goal.ts';

const kinds = ['connections', 'rate', 'users'] as const;
type Kind = (typeof kinds)[number];

const queue: Queue = { workers: 16, meanMs: 20 };
/** By the kind of load: the p95 at which it is reached, and the range in which it is looked for. */
const questions = {
  rate: { limitMs: 80, range: '100..1600', slice: '3s' },
  connections: { limitMs: 150, range: '20..320', slice: '1s' },
  users: { limitMs: 100, range: '40..640', slice: '3s' },
} as const;
const THINK_MS = 200;

interface Found extends Pick<ArmCapacity, 'outcome' | 'supports' | 'interval'> {
  readonly kind: Kind;
  readonly seed: number;
  readonly rounds: number;
  readonly truth: number;
}

async function once(kind: Kind, seed: number): Promise<Found> {
  const { limitMs, range, slice } = questions[kind];
  const sent =
    kind === 'users' ? `script: [{ path: /, think: { exponential: ${THINK_MS}ms } }]` : 'requests: [{ path: / }]';
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-capacity-'));
  const service = await startQueue(queue);
  const text = `
title: What a queue bears
target: { url: "${service.url}" }
variants: { queue: {} }
control: queue
load: { capacity: { ${kind}: ${range}, until: { p95_ms: ${limitMs} } }, slice: ${slice}, warmup: 500ms, ${sent} }
rounds: { min: 4, max: 6 }
`;
  const { journal: file } = runFolderAt(path);
  try {
    await runLive(
      { text, file: 'test/bench/capacity.yaml', path },
      { seed, decideStop: () => decideStop(readJournal(file)), emit: () => {} },
    );
    const { capacity, run } = summarize(readJournal(file));
    const [arm] = capacity?.arms ?? [];
    if (arm === undefined) throw new Error('no arm was judged');
    const { outcome, supports, interval } = arm;
    const truth = kind === 'users' ? usersOf(queue, THINK_MS, limitMs) : capacityOf(queue, kind, limitMs);
    return { kind, seed, rounds: run.rounds, truth, outcome, supports, interval };
  } finally {
    await service.stop();
    rmSync(path, { recursive: true });
  }
}

function known(file: string | null): Found[] {
  if (file === null || !existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function isHeld({ interval, truth }: Found): boolean {
  return interval !== null && interval[0] <= truth && truth <= interval[1];
}

/** Each session by itself, then all of them. `file`: where ended sessions are kept; null: nowhere. */
export async function benchCapacity(
  sessions = 20,
  kind: Kind = 'connections',
  file: string | null = null,
): Promise<Goal[]> {
  const before = known(file);
  const all: Found[] = [];
  for (let seed = 1; seed <= sessions; seed++) {
    const found = before.find((one) => one.kind === kind && one.seed === seed) ?? (await once(kind, seed));
    if (file !== null && !before.includes(found)) appendFileSync(file, `${JSON.stringify(found)}\n`);
    all.push(found);
    const range = found.interval?.map((end) => end.toFixed(1)).join(', ') ?? 'no interval';
    console.log(
      `session ${seed}: ${found.outcome} ${found.supports?.toFixed(1) ?? ''} [${range}], truth ${found.truth.toFixed(1)}, ${found.rounds} rounds${isHeld(found) ? '' : ' (not held)'}`,
    );
  }
  const held = all.filter(isHeld).length;
  const least = Math.ceil(0.8 * sessions);
  return [
    {
      name: `sessions whose interval holds what an M/M/c queue bears, by ${kind}`,
      measured: `${held} of ${sessions}`,
      goal: `at least ${least}`,
      reached: held >= least,
    },
  ];
}

const [, main, sessions, kind, file] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href)
  console.log(
    await benchCapacity(Number(sessions ?? 20), kinds.find((one) => one === kind) ?? 'connections', file ?? null),
  );
