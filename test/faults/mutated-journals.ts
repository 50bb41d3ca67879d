import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PgsweepError } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { sealed } from '../../src/journal/file/seal.ts';
import { readJournal } from '../../src/journal/journal.ts';
import { summarize } from '../../src/judge/summary.ts';
import { startCli } from '../cli/cli.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { breathe, type Context, cpuMs, createTally, EXIT_CODES, MOST_CPU_MS, type PartResult, range } from './part.ts';

type Mutation = (bytes: Buffer, random: Random) => Buffer;

/** One of every kind of damage that a disk, an editor or a copy does. */
const mutations: Readonly<Record<string, Mutation>> = {
  bit(bytes, random) {
    const at = pick(random, bytes.length);
    return withByte(bytes, at, (bytes[at] ?? 0) ^ (1 << pick(random, 8)));
  },
  digit(bytes, random) {
    const places = Array.from(bytes.keys()).filter((at) => isDigit(bytes[at] ?? 0));
    const at = places[pick(random, places.length)] ?? 0;
    return withByte(bytes, at, 48 + (((bytes[at] ?? 48) - 48 + 1 + pick(random, 9)) % 10));
  },
  'lost line': inLines((lines, random) => lines.toSpliced(pick(random, lines.length), 1)),
  'doubled line': inLines((lines, random) => {
    const from = pick(random, lines.length);
    return lines.toSpliced(pick(random, lines.length + 1), 0, lines[from] ?? '');
  }),
  'moved line': inLines((lines, random) => {
    const [line = ''] = lines.splice(pick(random, lines.length), 1);
    return lines.toSpliced(pick(random, lines.length), 0, line);
  }),
  'changed places': inLines((lines, random) => {
    const [one, other] = [pick(random, lines.length), pick(random, lines.length)];
    return lines.with(one, lines[other] ?? '').with(other, lines[one] ?? '');
  }),
  'cut off': (bytes, random) => bytes.subarray(0, pick(random, bytes.length)),
  zeros(bytes, random) {
    const [at, length] = [pick(random, bytes.length), 1 + pick(random, 4096)];
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length), bytes.subarray(at + length)]);
  },
  'lost bytes'(bytes, random) {
    const at = pick(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + pick(random, 200))]);
  },
  garbage(bytes, random) {
    const at = pick(random, bytes.length);
    const noise = Buffer.from(Array.from({ length: 1 + pick(random, 300) }, () => pick(random, 256)));
    return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
  },
};

/**
 * Journals with one damage each are judged: the table is the one of before, or the journal is refused and the error names
 * the first line that is different. Only a last line that is cut off is left out, with a notice.
 */
export async function mutatedJournals({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  const file = join(folder, 'journal.jsonl');
  const whole = journalBytes();
  writeFileSync(file, whole);
  const before = tableOf(file).text;
  const names = Object.keys(mutations);
  for (const i of range(from, to)) {
    const name = names[i % names.length] ?? '';
    const bytes = mutations[name]?.(Buffer.from(whole), random) ?? whole;
    writeFileSync(file, bytes);
    const startMs = cpuMs();
    const { text, kind, places, why } = tableOf(file);
    const tookMs = cpuMs() - startMs;
    tally.count(kind);
    const keep = (what: string): void => {
      const kept = join(folder, `fault-journal-${i}.jsonl`);
      writeFileSync(kept, bytes);
      tally.fault(`journal ${i} (${name}): ${what}; ${kept}`);
    };
    if (tookMs > MOST_CPU_MS) keep(`took ${Math.round(tookMs)} ms of CPU time`);
    if (kind === 'internal error') keep(why);
    if (i % IN_PROCESS === 0) {
      const { code, err } = await startCli(['report', folder]).done;
      if (!EXIT_CODES.includes(code ?? -1)) keep(`report ended with ${code}: ${err}`);
      if ((code === 2) !== (kind === 'refused')) keep(`${kind}, and report ended with ${code}: ${err}`);
    }
    const place = `${file}:${firstChanged(whole, bytes)}: `;
    if (kind === 'refused' && !why.includes(place)) keep(`expected an error at ${place}${why}`);
    // What a kill leaves is a journal that ends early: the report says that the run was not complete.
    const isPrefix = whole.subarray(0, bytes.length).equals(bytes);
    if (kind === 'read' && text !== before && !isPrefix && places === 0) keep('another table, and nobody was told');
    if (i % 50 === 0) await breathe();
  }
  return tally.result();
}

/** The first line that is not the one of before, from 1. */
function firstChanged(whole: Buffer, bytes: Buffer): number {
  let line = 1;
  for (let at = 0; at < whole.length && whole[at] === bytes[at]; at++) if (whole[at] === 10) line++;
  return line;
}

/** One in this many is judged by a process: a prime, so that each kind of damage has its turn. */
const IN_PROCESS = 199;

interface Table {
  readonly kind: 'read' | 'refused' | 'internal error';
  /** Without the notes, which say what is different. */
  readonly text: string;
  /** Notices that name a line. */
  readonly places: number;
  readonly why: string;
}

function tableOf(file: string): Table {
  try {
    const journal = readJournal(file);
    const { notes: _, ...summary } = summarize(journal);
    const places = journal.warnings.filter((text) => /:\d+: /.test(text)).length;
    return { kind: 'read', text: JSON.stringify(summary), places, why: '' };
  } catch (error) {
    const isOurs = error instanceof PgsweepError && error.code === 'journal';
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: isOurs ? 'refused' : 'internal error', text: '', places: 0, why };
  }
}

/** A small run as a file. */
function journalBytes(): Buffer {
  const { run, records } = fixtureJournal({
    variants: ['pool=10', 'pool=25', 'pool=50'],
    connections: [1, 25],
    rounds: 5,
    requestsPerSecond: 15,
    probes: () => ({ processes: { service_cpu_cores: 0.5, postgres_cpu_cores: 0.7 } }),
    work: () => ({ serviceCpuMs: 1, postgresCpuMs: 2, walBytes: 300 }),
  });
  let [next, first] = [{ line: 1, after: 0 }, 0];
  const lines = [run, ...records].map((record) => {
    const { line, sum, text } = sealed(JSON.stringify(record), next, first);
    next = { line: line + 1, after: sum };
    if (line === 1) first = sum;
    return text;
  });
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

function inLines(change: (lines: string[], random: Random) => string[]): Mutation {
  return (bytes, random) =>
    Buffer.from(
      change(bytes.toString('latin1').split('\n').slice(0, -1), random)
        .map((line) => `${line}\n`)
        .join(''),
      'latin1',
    );
}

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  bytes[at] = value;
  return bytes;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function pick(random: Random, below: number): number {
  return Math.floor(random.next() * below);
}
