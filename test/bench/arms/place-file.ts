import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readProcessTable, treesOf } from '../../../src/base/process/process-table.ts';
import { readProc } from '../../../src/base/process/read-proc.ts';

/** Seconds since 1970. */
type Seconds = number;

/** A line of place.jsonl: who a process is, or how many ticks each process used on each CPU, since the line before. */
type PlaceLine =
  | { readonly t?: Seconds; readonly pid: string; readonly name: string | null }
  | { readonly t: Seconds; readonly u: Readonly<Record<string, readonly number[]>> }
  | { readonly t: Seconds; readonly m: Readonly<Record<string, Memory>> };

/** Memory of a process in kB: resident, and of it in huge pages. */
interface Memory {
  readonly rss: number;
  readonly huge: number;
}

/** What processes did in about a second, by what they are: `postgres: pgsweep pgsweep_r1_a0 127.0.0.1(5000)`. */
export interface Moment {
  readonly t: Seconds;
  readonly ticks: readonly (readonly [name: string, byCpu: readonly number[]])[];
  readonly memory: readonly (readonly [name: string, memory: Memory])[];
}

/** What a file says; nothing where there is none. A last line that is cut off is left out. */
export function readMoments(file: string): Moment[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const names = new Map<string, string>();
  const named = <Value>(byPid: Readonly<Record<string, Value>>): (readonly [string, Value])[] =>
    Object.entries(byPid).map(([pid, value]) => [names.get(pid) ?? '', value]);
  return lines.flatMap((text): Moment[] => {
    const line = JSON.parse(text) as PlaceLine;
    if ('pid' in line) {
      names.set(line.pid, line.name ?? '');
      return [];
    }
    return [{ t: line.t, ticks: 'u' in line ? named(line.u) : [], memory: 'm' in line ? named(line.m) : [] }];
  });
}

/** How often the CPU of each process is read: it is credited with the ticks since the reading before. */
const EVERY_MS = 250;
/** Ticks are written once in this many readings, memory once in this many. */
const TICKS_EVERY = 4;
const MEMORY_EVERY = 40;

/** Watches where the processes below one of them run, until it is stopped: appends to place.jsonl. */
export function watchPlaces(file: string, root: number): { stop(): void } {
  const cpus = availableParallelism();
  const names = new Map<number, string>();
  const before = new Map<number, number>();
  const used = new Map<number, number[]>();
  let reading = 0;
  const write = (line: PlaceLine): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const look = (): void => {
    const table = readProcessTable() ?? [];
    const tree = treesOf(table, [root]);
    const t = Date.now() / 1000;
    for (const { pid, ticks } of table) {
      if (!tree.has(pid)) continue;
      const had = before.get(pid);
      before.set(pid, ticks);
      if (had === ticks) continue;
      const who = nameOf(pid);
      if (who !== null && who !== names.get(pid)) {
        names.set(pid, who);
        write({ t, pid: String(pid), name: who });
      }
      const cpu = cpuOf(pid);
      if (had === undefined || cpu === null) continue;
      const own = used.get(pid) ?? Array.from({ length: cpus }, () => 0);
      own[cpu] = (own[cpu] ?? 0) + ticks - had;
      used.set(pid, own);
    }
    reading++;
    if (reading % TICKS_EVERY === 0) {
      write({ t, u: Object.fromEntries(used) });
      used.clear();
    }
    if (reading % MEMORY_EVERY === 0) write({ t, m: Object.fromEntries([...names].flatMap(memoryOf)) });
  };
  const timer = setInterval(look, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

/** Its command line, and the database that its environment names: `node server.js | pgsweep_r1_a0`. */
function nameOf(pid: number): string | null {
  const command = readProc(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim().slice(0, 200);
  if (command === undefined || command === '') return null;
  // A backend's title ends with what it does just now.
  if (command.startsWith('postgres: ')) return command.replace(/(\(\d+\)).*$/, '$1');
  const environment = readProc(`/proc/${pid}/environ`) ?? '';
  return `${command} | ${/DATABASE_URL=[^\0]*?\/([\w-]+)(?:\?|\0|$)/.exec(environment)?.[1] ?? ''}`;
}

/** The CPU that it ran on last (proc_pid_stat(5), field 39). */
function cpuOf(pid: number): number | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null ? null : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[36]);
}

/** Of services alone: backends share nearly all of theirs. */
function memoryOf([pid, name]: readonly [number, string]): [string, Memory][] {
  if (!/\| pgsweep_r\d+_a\d+$/.test(name)) return [];
  const text = readProc(`/proc/${pid}/smaps_rollup`);
  const kB = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text ?? '')?.[1] ?? 0);
  return text === null ? [] : [[String(pid), { rss: kB('Rss'), huge: kB('AnonHugePages') }]];
}
