import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextUpTo } from '../base/files/read-text.ts';
import type { Provenance } from '../journal/records.ts';
import type { Summary } from '../judge/summary.ts';

export type Machine = Pick<Provenance, 'cpuModel' | 'cpuCount' | 'memoryBytes'>;

/** How small an effect a finished run could see. */
export interface LastRun {
  readonly folder: string;
  readonly scenario: string;
  readonly rounds: number;
  readonly detectablePercent: number;
}

/**
 * The newest run in the folder that was made on this machine and whose noise is known; a run of the same scenario goes before
 * all others. Null where there is none. Runs without a summary of this version are left out.
 */
export function lastRun(results: string, scenario: string, machine: Machine): LastRun | null {
  const runs = foldersIn(results).flatMap((name) => {
    const summary = summaryIn(join(results, name));
    if (summary === null || !isSame(summary.provenance, machine)) return [];
    const { run, session } = summary;
    if (session.minimumDetectablePercent === null) return [];
    const { scenario: own, rounds, startedAt } = run;
    const found = {
      folder: join(results, name),
      scenario: own,
      rounds,
      detectablePercent: session.minimumDetectablePercent,
    };
    return [{ found, order: `${own === scenario ? 1 : 0} ${startedAt}` }];
  });
  return runs.sort((one, other) => (one.order < other.order ? 1 : -1))[0]?.found ?? null;
}

/**
 * Smallest effect that a run of this many rounds should detect, in percent: half-widths shrink with the root of the rounds. It
 * leaves out that more rounds also make the noise better known, and how long each round is.
 */
export function detectableAfter({ rounds: before, detectablePercent }: LastRun, rounds: number): number {
  return 100 * Math.expm1(Math.log1p(detectablePercent / 100) * Math.sqrt(before / rounds));
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** A summary of 200 variants under 100 load levels has some ten megabytes. */
const MOST_BYTES = 64 * 1024 * 1024;

function summaryIn(folder: string): Pick<Summary, 'run' | 'session' | 'provenance'> | null {
  try {
    const summary: Partial<Summary> = JSON.parse(readTextUpTo(join(folder, 'summary.json'), MOST_BYTES));
    const { version, run, session, provenance } = summary;
    return version === 2 && run && session && provenance ? { run, session, provenance } : null;
  } catch {
    return null;
  }
}

function isSame(provenance: Machine, { cpuModel, cpuCount, memoryBytes }: Machine): boolean {
  return provenance.cpuModel === cpuModel && provenance.cpuCount === cpuCount && provenance.memoryBytes === memoryBytes;
}
