import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decideStop } from '../../src/analysis/stop-rule.ts';
import { summarize } from '../../src/analysis/summary.ts';
import { createRandom, type Random } from '../../src/base/random.ts';
import { createLatencyHistogram } from '../../src/journal/histogram.ts';
import { readJournal } from '../../src/journal/journal.ts';
import type { LatencyRecord } from '../../src/journal/records.ts';
import { fixtureJournal, normal } from '../analysis/journal-fixture.ts';
import type { Goal } from './goal.ts';

/** 500 rounds of 5 arms x 4 load levels x 5 slices: 50,000, as many nights of measuring would give. */
const ROUNDS = 500;
const MAX_SECONDS = 3;
const MAX_MEGABYTES = 300;

interface Judged {
  /** From the file to the summary. */
  readonly summarizeMs: number;
  /** From the file to whether to stop, as after every round. */
  readonly decideMs: number;
  readonly peakMegabytes: number;
}

/** Judges a journal of 50,000 slices with histograms of about 2 KB each, in a process of its own. */
export function benchJudge(): Goal[] {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-judge-'));
  const file = join(folder, 'journal.jsonl');
  try {
    const slices = writeLargeJournal(file);
    const self = new URL(import.meta.url).pathname;
    const output = execFileSync(process.execPath, ['--import', 'tsx', self, file], { encoding: 'utf8' });
    const judged = JSON.parse(output) as Judged;
    const seconds = judged.summarizeMs / 1000;
    const size = `${slices.toLocaleString('en-US')} slices, ${Math.round(statSync(file).size / 2 ** 20)} MB`;
    return [
      {
        name: `journal to summary, ${size}`,
        measured: `${seconds.toFixed(1)} s (stop rule ${judged.decideMs} ms)`,
        goal: `< ${MAX_SECONDS} s`,
        reached: seconds < MAX_SECONDS,
      },
      {
        name: 'journal to summary, most memory',
        measured: `${judged.peakMegabytes} MB`,
        goal: `< ${MAX_MEGABYTES} MB`,
        reached: judged.peakMegabytes < MAX_MEGABYTES,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes round after round, so that this process need not hold it either. Returns the number of slices. */
function writeLargeJournal(file: string): number {
  const random = createRandom('large journal');
  const latencies = Array.from({ length: 200 }, () => latencyRecord(random));
  const descriptor = openSync(file, 'w');
  // The fixture's own latencies are replaced, so they need not be many.
  const { run, records } = fixtureJournal({
    connections: [1, 10, 25, 50],
    rounds: ROUNDS,
    slicesPerRound: 5,
    requestsPerSecond: 1,
  });
  let slices = 0;
  writeSync(descriptor, `${JSON.stringify(run)}\n`);
  for (const record of records) {
    if (record.type === 'slice') slices++;
    const outcomes = {
      statuses: { 200: Math.round(12_000 * Math.exp(0.03 * normal(random))) },
      errors: 0,
      timeouts: 0,
    };
    const seen = { outcomes, whole: outcomes, latency: random.pick(latencies) };
    writeSync(descriptor, `${JSON.stringify(record.type === 'slice' ? { ...record, ...seen } : record)}\n`);
  }
  closeSync(descriptor);
  return slices;
}

/** 12,000 answers around 8 ms with a long tail. */
function latencyRecord(random: Random): LatencyRecord {
  const histogram = createLatencyHistogram();
  const scale = 8000 * Math.exp(0.05 * normal(random));
  for (let i = 0; i < 12_000; i++) histogram.record(scale * Math.exp(0.35 * normal(random)));
  return histogram.toRecord();
}

function judge(file: string): Judged {
  const start = performance.now();
  summarize(readJournal(file));
  const summarized = performance.now();
  decideStop(readJournal(file));
  const decided = performance.now();
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
  return {
    summarizeMs: Math.round(summarized - start),
    decideMs: Math.round(decided - summarized),
    peakMegabytes: Math.round(peak / 1024),
  };
}

const [, main, file] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href && file !== undefined) {
  console.log(JSON.stringify(judge(file)));
}
