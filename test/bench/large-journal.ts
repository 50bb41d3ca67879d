import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { createRandom, type Random } from '../../src/base/random.ts';
import { sealed } from '../../src/journal/file/seal.ts';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import type { JournalRecord, LatencyRecord, ProbeRecord } from '../../src/journal/records.ts';
import { fixtureJournal, normal } from '../judge/journal-fixture.ts';

export interface LargeJournal {
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly slicesPerRound: number;
  /** Whether each slice has the records of probes. */
  readonly probes: boolean;
}

export interface WrittenJournal {
  readonly slices: number;
  readonly megabytes: number;
}

/** This many different histograms and sets of probe records, which slices take at random. */
const KINDS = 200;
/** Some slices of any real run are void. */
const VOID_SHARE = 0.02;

/** Writes a journal of 5 arms, slice after slice, so that this process need not hold it. */
export function writeLargeJournal(file: string, { probes, ...size }: LargeJournal): WrittenJournal {
  const random = createRandom('large journal');
  const latencies = Array.from({ length: KINDS }, () => latencyRecord(random));
  const probeLines = probes ? Array.from({ length: KINDS }, () => probeLinesOf(random)) : null;
  const descriptor = openSync(file, 'w');
  // The fixture's own latencies are replaced, so they need not be many.
  const { run, records } = fixtureJournal({ ...size, requestsPerSecond: 1 });
  let slices = 0;
  let [next, first] = [{ line: 1, after: 0 }, 0];
  const write = (json: string): void => {
    const { line, sum, text } = sealed(json, next, first);
    writeSync(descriptor, `${text}\n`);
    next = { line: line + 1, after: sum };
    if (line === 1) first = sum;
  };
  write(JSON.stringify(run));
  for (const record of records) {
    if (record.type !== 'slice') {
      write(JSON.stringify(record));
      continue;
    }
    slices++;
    const latency = random.pick(latencies);
    const outcomes = { statuses: { 200: latency.count }, errors: 0, timeouts: 0 };
    const voided = probes && random.next() < VOID_SHARE ? ['generator busy'] : [];
    const seen = { outcomes, whole: outcomes, latency, voided };
    write(JSON.stringify({ ...record, ...seen }));
    if (probeLines !== null) for (const line of withPlace(random.pick(probeLines), record)) write(line);
  }
  closeSync(descriptor);
  return { slices, megabytes: Math.round(statSync(file).size / 2 ** 20) };
}

/** Some 12,000 answers around 8 ms with a long tail. */
function latencyRecord(random: Random): LatencyRecord {
  const histogram = createLatencyHistogram();
  const scale = 8000 * Math.exp(0.05 * normal(random));
  const answers = 12_000 * Math.exp(0.03 * normal(random));
  for (let i = 0; i < answers; i++) histogram.record(scale * Math.exp(0.35 * normal(random)));
  return histogram.toRecord();
}

/** What the probes of one slice of a real run wrote. */
const recorded = readFileSync(new URL('../fixtures/probe-records.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as ProbeRecord);

/** The recorded lines with noise in their values, from behind their place in the run. */
function probeLinesOf(random: Random): string[] {
  return recorded.map(({ probe, values, rows }) => {
    const noisy = Object.entries(values).map(([name, value]) => [
      name,
      Number((value * Math.exp(0.05 * normal(random))).toFixed(4)),
    ]);
    return JSON.stringify({ probe, values: Object.fromEntries(noisy), rows }).slice(1);
  });
}

function withPlace(lines: readonly string[], { round, slice, arm }: JournalRecord & { type: 'slice' }): string[] {
  const place = JSON.stringify({ type: 'probe', round, slice, arm }).slice(0, -1);
  return lines.map((line) => `${place},${line}`);
}
