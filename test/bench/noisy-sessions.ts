import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { writeFileAtomic } from '../../src/base/files/atomic-file.ts';
import { spawnWatched } from '../../src/base/process/child-process.ts';
import { type Reaper, startReaper } from '../../src/base/process/reaper.ts';
import { type Journal, readJournal } from '../../src/journal/journal.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import { decideStop } from '../../src/judge/verdicts/stop-rule.ts';
import { runFolderAt } from '../../src/measure/run/run-folder.ts';
import { runLive } from '../support/live-run.ts';
import { liveScenario } from './live.ts';
import { loadSecondsOf, PLANTED_FILE, type PlantedRun, plantedScenario, saturatedChangePercent } from './planted.ts';
import { RECORDINGS } from './recorded-turns.ts';

/** What is compared: nothing that differs, 10 % more work an answer, or answers that take 5 % longer, switched live. */
export type Kind = 'A/A' | '+10 %' | 'live +5 %';

/** Of the kinds whose arms are processes of their own: of the control and of the variant. */
const work = { 'A/A': [150, 150], '+10 %': [150, 165] } as const;

/** Where a session's run lies, in the bench's folder. */
const folders: Readonly<Record<Kind, string>> = { 'A/A': 'same', '+10 %': 'slower', 'live +5 %': 'live' };

/** What others took of the machine's CPU time while load was on, on average; null where this machine does not tell. */
export interface Disturbance {
  readonly stealPercent: number | null;
  readonly foreignCpuPercent: number | null;
}

/** A finished session: a line of the bench's file. */
export interface FinishedSession extends Disturbance {
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
}

/** What the planted difference makes of the rate on a stretch without the neighbour. */
export interface Truth extends Disturbance {
  readonly type: 'truth';
  readonly changePercent: number;
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
/** This many connections keep the service's thread busy, and leave turns short. Four rounds are 40 s of load. */
const LOAD = 'connections: 4, slice: 2300ms, warmup: 1s';
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
    const path = join(place.folder, `${folders[kind]}-${number}`);
    const text = kind === 'live +5 %' ? liveScenario(5) : processes(kind, `min: 4, max: 40, budget: ${BUDGET}`);
    const journal = await runPlanted(text, number, { ...place, path });
    const summary = summarize(journal());
    const found = summary.comparisons.find(({ metric }) => metric === 'requests_per_s');
    return {
      type: 'session',
      kind,
      number,
      neighbour: neighbour.name,
      verdict: found?.verdict ?? 'none',
      deltaPercent: found?.deltaPercent ?? null,
      interval: found?.interval ?? null,
      rounds: summary.run.rounds,
      loadS: Math.round(loadSecondsOf(journal())),
      wallS: Math.round((performance.now() - startMs) / 1000),
      ...disturbanceOf(summary),
    };
  } finally {
    await neighbour.stop();
    await reaper.close();
  }
}

/** By CPU time, in six rounds without the neighbour. */
export async function measureTruth(place: Place): Promise<Truth> {
  const path = join(place.folder, 'quiet');
  const journal = await runPlanted(processes('+10 %', 'min: 6, max: 6, budget: 10m'), 1, { ...place, path });
  const slices = [...journal().records].filter((record) => record.type === 'slice');
  const changePercent = saturatedChangePercent(slices, CONTROL, VARIANT);
  return { type: 'truth', changePercent, ...disturbanceOf(summarize(journal())) };
}

function processes(kind: keyof typeof work, rounds: PlantedRun['rounds']): string {
  const [control, variant] = work[kind];
  const title = `${kind} beside a neighbour`;
  return plantedScenario({ title, work: { [CONTROL]: control, [VARIANT]: variant }, load: LOAD, rounds });
}

/** Returns a reader of the run's journal, whose records are there once for each reading. */
async function runPlanted(
  text: string,
  seed: number,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<() => Journal> {
  // What a session that was broken off has left.
  rmSync(path, { recursive: true, force: true });
  const journal = (): Journal => readJournal(runFolderAt(resolve(path)).journal);
  const afterRound = () => decideStop(journal());
  await runLive({ text, file: PLANTED_FILE, path }, { seed, signal, decideStop: afterRound });
  return journal;
}

function disturbanceOf({ session }: Summary): Disturbance {
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
