import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { decideStop } from '../../src/analysis/stop-rule.ts';
import { type Summary, summarize } from '../../src/analysis/summary.ts';
import { writeFileAtomic } from '../../src/base/atomic-file.ts';
import { spawnWatched } from '../../src/base/child-process.ts';
import { type Reaper, startReaper } from '../../src/base/reaper.ts';
import { type Journal, readJournal } from '../../src/journal/journal.ts';
import type { SliceRecord, WarmupRecord } from '../../src/journal/records.ts';
import { runFolderAt } from '../../src/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import { PLANTED_FILE, type PlantedRun, plantedScenario, saturatedChangePercent } from './planted.ts';
import { RECORDINGS } from './recorded-turns.ts';

/** What is compared: nothing that differs, or 10 % more work an answer. */
export const kinds = { 'A/A': 150, '+10 %': 165 } as const;

export type Kind = keyof typeof kinds;

/** A finished session: a line of the bench's file. */
export interface FinishedSession {
  readonly type: 'session';
  readonly kind: Kind;
  /** From 1; the neighbour's seed, and the session's. */
  readonly number: number;
  readonly neighbour: string;
  readonly verdict: string;
  readonly deltaPercent: number | null;
  readonly interval: readonly [number, number] | null;
  readonly rounds: number;
  /** Of all arms, the warm-up included. */
  readonly loadS: number;
  readonly wallS: number;
  readonly stealPercent: number | null;
  readonly foreignCpuPercent: number | null;
}

/** What the planted difference makes of the rate on a stretch without the neighbour. */
export interface Truth {
  readonly type: 'truth';
  readonly changePercent: number;
  readonly stealPercent: number | null;
  readonly foreignCpuPercent: number | null;
}

export type Line = FinishedSession | Truth;

/** The file of a bench that may be stopped and gone on with. */
export interface Lines {
  readonly all: readonly Line[];
  add(line: Line): void;
}

/** Opens the file in a folder, which is made where it is missing. */
export function openLines(folder: string): Lines {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'sessions.jsonl');
  const texts = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const all = texts.map((text) => JSON.parse(text) as Line);
  return {
    all,
    add(line) {
      all.push(line);
      writeFileAtomic(file, all.map((one) => `${JSON.stringify(one)}\n`).join(''));
    },
  };
}

const CONTROL = 'Control';
const VARIANT = 'Variant';
/** So many keep the service's thread busy, and leave turns short. */
const LOAD = 'connections: 10';
/** With what a session starts and stops, under three minutes: 40 fit in two hours. */
const BUDGET = '160s';

interface Place {
  /** The bench's. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** A sweep as a user makes it, beside a neighbour, until its verdict or its budget. Its run stays in the folder. */
export async function runNoisySession(kind: Kind, number: number, place: Place): Promise<FinishedSession> {
  const startMs = performance.now();
  const reaper = startReaper();
  const neighbour = await startNeighbour(number, reaper);
  try {
    const path = join(place.folder, `${kind === 'A/A' ? 'same' : 'slower'}-${number}`);
    const { summary, records } = await runPlanted(kind, number, `min: 4, max: 40, budget: ${BUDGET}`, {
      ...place,
      path,
    });
    const found = summary.comparisons.find(({ metric }) => metric === 'requests_per_s');
    const loads = records.map((record) => (record.type === 'slice' ? record.loadMs : record.durationMs));
    return {
      type: 'session',
      kind,
      number,
      neighbour: neighbour.name,
      verdict: found?.verdict ?? 'none',
      deltaPercent: found?.deltaPercent ?? null,
      interval: found?.interval ?? null,
      rounds: summary.run.rounds,
      loadS: Math.round(loads.reduce((sum, ms) => sum + ms, 0) / 1000),
      wallS: Math.round((performance.now() - startMs) / 1000),
      ...disturbanceOf(summary),
    };
  } finally {
    await neighbour.stop();
    await reaper.close();
  }
}

/** By CPU time, in three rounds without the neighbour. */
export async function measureTruth(place: Place): Promise<Truth> {
  const path = join(place.folder, 'quiet');
  const { summary, records } = await runPlanted('+10 %', 1, 'min: 3, max: 3, budget: 10m', { ...place, path });
  const slices = records.filter((record) => record.type === 'slice');
  return { type: 'truth', changePercent: saturatedChangePercent(slices, CONTROL, VARIANT), ...disturbanceOf(summary) };
}

async function runPlanted(
  kind: Kind,
  seed: number,
  rounds: PlantedRun['rounds'],
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<{ readonly summary: Summary; readonly records: readonly (SliceRecord | WarmupRecord)[] }> {
  // What a session that was broken off has left.
  rmSync(path, { recursive: true, force: true });
  const work = { [CONTROL]: kinds['A/A'], [VARIANT]: kinds[kind] };
  const text = plantedScenario({ title: `${kind} beside a neighbour`, work, load: LOAD, rounds });
  const journal = (): Journal => readJournal(runFolderAt(resolve(path)).journal);
  await runLive({ text, file: PLANTED_FILE, path }, { seed, signal, decideStop: () => decideStop(journal()) });
  const records = [...journal().records].filter(({ type }) => type === 'slice' || type === 'warmup');
  return { summary: summarize(journal()), records: records as (SliceRecord | WarmupRecord)[] };
}

function disturbanceOf({ session }: Summary): Pick<Truth, 'stealPercent' | 'foreignCpuPercent'> {
  const { stealPercent, foreignCpuPercent } = session.disturbance;
  return { stealPercent: stealPercent?.mean ?? null, foreignCpuPercent: foreignCpuPercent?.mean ?? null };
}

/** Of the recordings' neighbour, or of our own where that is not there. */
export function neighbourFile(): string {
  const recorded = join(RECORDINGS, 'burner.mjs');
  return existsSync(recorded) ? recorded : join(import.meta.dirname, 'neighbour.mjs');
}

/** Longer than any session. */
const NEIGHBOUR_S = 600;

async function startNeighbour(
  seed: number,
  reaper: Reaper,
): Promise<{ readonly name: string; stop(): Promise<unknown> }> {
  const file = neighbourFile();
  const command = [process.execPath, file, String(NEIGHBOUR_S), String(seed)] as const;
  const { stop } = await spawnWatched({ command, reaper });
  return { name: basename(file), stop };
}
