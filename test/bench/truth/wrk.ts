import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianPackages, libraryPath } from '../../support/debian-package.ts';
import type { Values } from './planting.ts';

/** Answers by how long they took: `count` of them took `us` microseconds. */
export interface LatencyCount {
  readonly us: number;
  readonly count: number;
}

interface WrkLoad {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
}

/** Where wrk is and the variables that it needs. */
interface Wrk {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Longer than any answer: wrk keeps a counter for each microsecond of it. */
const TIMEOUT = '10s';

/** Finds wrk: as it is installed, else unpacked of its Debian package. Null where neither is there. */
export async function findWrk(): Promise<Wrk | null> {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'pipe' });
  } catch (error) {
    // It prints its version, and then ends with 1.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return unpackedWrk();
  }
  return { program: 'wrk', env: {} };
}

async function unpackedWrk(): Promise<Wrk | null> {
  const folder = await debianPackages('wrk', 'libluajit-5.1-2');
  if (folder === null) return null;
  return { program: join(folder, 'usr/bin/wrk'), env: { LD_LIBRARY_PATH: libraryPath(folder) } };
}

/** The rate and the latencies that wrk sees. Without those where some answers are no 2xx: wrk does not say which took how long. */
export async function runWrk(wrk: Wrk, { port, connections, seconds }: WrkLoad): Promise<Values> {
  const script = join(import.meta.dirname, 'wrk.lua');
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', TIMEOUT, '-s', script];
  const { stdout } = await promisify(execFile)(wrk.program, [...args, `http://127.0.0.1:${port}/`], {
    env: { ...process.env, ...wrk.env },
    maxBuffer: 64 * 2 ** 20,
  });
  const [head = '', ...lines] = stdout.slice(stdout.indexOf('truth ')).trimEnd().split('\n');
  const [requests = 0, durationUs = 0, failed = 0] = head.split(' ').slice(1).map(Number);
  const told = lines.map((line): LatencyCount => {
    const [us = 0, count = 0] = line.split(' ').map(Number);
    return { us, count };
  });
  const requests_per_s = (1e6 * (requests - failed)) / durationUs;
  if (failed > 0) return { requests_per_s, latency_mean_ms: null, latency_p95_ms: null, latency_p99_ms: null };
  const intervalUs = Math.floor(durationUs / Math.floor(requests / connections));
  const isCorrected = told.reduce((sum, { count }) => sum + count, 0) > requests + connections;
  const counts = isCorrected ? withoutCorrection(told, intervalUs) : told;
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return {
    requests_per_s,
    latency_mean_ms: counts.reduce((sum, { us, count }) => sum + us * count, 0) / total / 1000,
    latency_p95_ms: percentileUs(counts, total, 0.95) / 1000,
    latency_p99_ms: percentileUs(counts, total, 0.99) / 1000,
  };
}

/**
 * The latencies as they were measured. wrk 4 adds answers that nobody sent (`stats_correct` of its source): for each latency of
 * twice the mean interval of a connection or more, one an interval shorter, one two intervals shorter, and so on. From the longest
 * latency down, those are taken away again. Returns them ascending.
 */
export function withoutCorrection(told: readonly LatencyCount[], intervalUs: number): LatencyCount[] {
  const counts = new Map(told.map(({ us, count }) => [us, count]));
  for (const { us } of [...told].sort((a, b) => b.us - a.us)) {
    const count = counts.get(us) ?? 0;
    if (us < 2 * intervalUs || count <= 0) continue;
    for (let added = us - intervalUs; added > intervalUs; added -= intervalUs) {
      counts.set(added, (counts.get(added) ?? 0) - count);
    }
  }
  return [...counts].flatMap(([us, count]) => (count > 0 ? [{ us, count }] : [])).sort((a, b) => a.us - b.us);
}

function percentileUs(counts: readonly LatencyCount[], total: number, share: number): number {
  let seen = 0;
  for (const { us, count } of counts) {
    seen += count;
    if (seen >= share * total) return us;
  }
  return Number.NaN;
}
