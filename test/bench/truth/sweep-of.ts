import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Summary } from '../../../src/judge/summary.ts';
import { type Metric, metrics, type Planting, scenarioOf, type Values } from './planting.ts';

/** A change as the bench told it. */
export interface SaidChange {
  readonly variant: string;
  /** Its load level in words. */
  readonly load: string;
  readonly metric: Metric;
  readonly deltaPercent: number | null;
  readonly interval: readonly [number, number] | null;
  /** The interval of the plain mean, which a note has where odd starts make it another than the typical change. */
  readonly meanInterval: readonly [number, number] | null;
  readonly verdict: string;
  /** The kinds of its notes. */
  readonly notes: readonly string[];
}

/** What the bench told about a planting. */
export interface Said {
  readonly session: string;
  readonly marginPercent: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly changes: readonly SaidChange[];
  /** By arm, the control's twin left out. */
  readonly values: readonly { readonly arm: string; readonly values: Values }[];
  /** The kinds of the notes on the whole run. */
  readonly notes: readonly string[];
}

interface Place {
  /** Of the planting: scenario, logs and run. */
  readonly folder: string;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** Sweeps a planting with the command, as a user does. Throws where the command fails; an unfit session is a result. */
export async function sweepPlanting(planting: Planting, { folder, seed, signal }: Place): Promise<Said> {
  const startMs = performance.now();
  const out = join(folder, 'run');
  const file = join(folder, `${planting.name}.yaml`);
  const text = planting.kind === 'identical' ? planting.text : scenarioOf(planting, resolve(folder, 'logs'));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  const lengths =
    planting.kind === 'identical' ? [] : ['--rounds', String(planting.rounds), '--budget', planting.budget];
  const args = [
    'src/cli/bin.mjs',
    'sweep',
    file,
    '--out',
    out,
    '--stack',
    'embedded',
    '--quiet',
    '--json',
    '--seed',
    String(seed),
  ];
  const sweep = spawn(process.execPath, [...args, ...lengths], { stdio: ['ignore', 'ignore', 'inherit'] });
  const end = (): void => void sweep.kill('SIGINT');
  signal.addEventListener('abort', end, { once: true });
  const [code] = await once(sweep, 'exit');
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (code !== 0 && code !== 3) throw new Error(`the sweep of ${planting.name} ended with exit code ${code}`);
  const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')) as Summary;
  return { ...saidIn(summary), seconds: Math.round((performance.now() - startMs) / 1000) };
}

/** What a summary says of the metrics that have a truth. */
export function saidIn({ run, session, comparisons, averages, notes }: Summary): Omit<Said, 'seconds'> {
  const isCompared = (name: string): name is Metric => (metrics as readonly string[]).includes(name);
  return {
    session: session.verdict,
    marginPercent: run.marginPercent,
    rounds: run.rounds,
    changes: comparisons.flatMap(({ variant, load, metric, deltaPercent, interval, verdict, notes }) => {
      if (!isCompared(metric)) return [];
      const own = { variant, load: loadText(load), metric, deltaPercent, interval, verdict };
      return [{ ...own, meanInterval: meanIntervalIn(notes), notes: notes.map(({ kind }) => kind) }];
    }),
    values: averages
      .filter(({ repeat }) => !repeat)
      .map(({ variant, metrics: all }) => ({
        arm: variant,
        values: Object.fromEntries(metrics.map((metric) => [metric, all[metric]])) as Record<Metric, number | null>,
      })),
    notes: notes.map(({ kind }) => kind),
  };
}

/** Kinds of notes differ in what they hold: any of them may hold this. */
function meanIntervalIn(notes: readonly NoteWithMean[]): SaidChange['interval'] {
  return notes.find(({ meanInterval }) => meanInterval !== undefined)?.meanInterval ?? null;
}

interface NoteWithMean {
  readonly kind: string;
  readonly meanInterval?: SaidChange['interval'];
}

function loadText(load: Summary['comparisons'][number]['load']): string {
  const { of = [], workload = [], ...size } = load;
  return [Object.values(size), of, workload].flat().join(' ');
}
