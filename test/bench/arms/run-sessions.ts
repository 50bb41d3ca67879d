import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '../../../src/journal/journal.ts';
import { watchPlaces } from './place-file.ts';

export interface WantedSessions {
  /** Where they are, one run folder each: s1, s2, ... of identical arms, d1, d2, ... of the default sweep. */
  readonly folder: string;
  /** How many there are to be of identical arms; 0 for what the folder has. */
  readonly sessions: number;
  readonly rounds: number;
  /** How many of the default sweep. */
  readonly defaults: number;
}

/**
 * The control's two arms and three more, which differ in nothing but their names. Slices of a fixed length: by themselves
 * they get so long where the machine is noisy that a session takes 25 minutes.
 */
export const identicalArms = (rounds: number): string => `title: Five identical arms
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 2000, seed: 1 }
variants:
  A: { env: { POOL_MAX: "10" } }
  B: { env: { POOL_MAX: "10" } }
  C: { env: { POOL_MAX: "10" } }
  D: { env: { POOL_MAX: "10" } }
control: A
question: changes
rounds: { min: ${rounds}, max: ${rounds}, budget: ${5 * rounds}m }
load:
  connections: [1, 25, 50]
  slice: 5s
  workload: upsert-schools
`;

const FIRST_SEED = 100;

/** Runs those that are not finished, one after the other, and returns the names of the default sweeps. Stopped by Ctrl-C, it continues there. */
export async function runSessions({ folder, sessions, rounds, defaults }: WantedSessions): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'identical.yaml');
  if (sessions > 0) writeFileSync(file, identicalArms(rounds));
  const numbered = (letter: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
  const identical = numbered('s', sessions);
  const usual = numbered('d', defaults);
  for (const [index, name] of [...identical, ...usual].entries()) {
    const out = join(folder, name);
    if (isFinished(out)) continue;
    console.error(`${name} of ${identical.length} sessions of identical arms and ${usual.length} default sweeps`);
    const begun = existsSync(join(out, 'journal.jsonl'));
    const fresh = [...(identical.includes(name) ? [file] : []), '--out', out, '--seed', String(FIRST_SEED + index)];
    await sweep(begun ? ['--resume', out] : fresh, join(folder, 'place.jsonl'));
  }
  return usual.filter((name) => isFinished(join(folder, name)));
}

/** True if a run folder has a session that ended by itself. */
export function isFinished(out: string): boolean {
  const file = join(out, 'journal.jsonl');
  if (!existsSync(file)) return false;
  for (const record of readJournal(file, { probes: 'left out' }).records) if (record.type === 'end') return true;
  return false;
}

async function sweep(args: readonly string[], places: string): Promise<void> {
  const child = spawn(process.execPath, ['src/cli/bin.mjs', 'sweep', ...args, '--stack', 'embedded', '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const watch = watchPlaces(places, child.pid ?? 0);
  // The sweep ends in order, and so does this.
  const end = (): void => void child.kill('SIGINT');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  try {
    const [code] = await once(child, 'exit');
    if (code === 130) {
      console.error('Stopped: the same command continues here.');
      process.exit(130);
    }
    // An unfit session is what is looked for.
    if (code !== 0 && code !== 3) throw new Error(`the sweep ended with exit code ${code}`);
  } finally {
    watch.stop();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  }
}
