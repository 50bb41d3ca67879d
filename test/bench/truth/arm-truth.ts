import { join } from 'node:path';
import { mean } from '../../../src/judge/stats/moments.ts';
import { type Answer, runClosedLoop } from './closed-loop.ts';
import { type LogLine, type PlantedProcess, readLogs, startPlanted } from './planted-process.ts';
import type { PlantedService, Values } from './planting.ts';
import { type findWrk, runWrk } from './wrk.ts';

/** Parts of the continuous minute, whose scatter is the minute's own error. */
const PARTS = 6;
/** Load before the minute begins: queues fill, code is compiled. */
const LEAD_MS = 4000;

/** The truth about one arm, by each source that knows it. */
export interface ArmTruth {
  readonly sources: Readonly<Record<string, Values>>;
  /** The sockets' values in each part of their run. */
  readonly parts: readonly Values[];
}

interface Place {
  /** For the services' logs. */
  readonly folder: string;
  readonly seconds: number;
}

/** One continuous run by bare sockets, on a fresh process, and what its log says of the same time. */
export async function measureBySockets(planting: PlantedService, arm: string, place: Place): Promise<ArmTruth> {
  const logs = join(place.folder, `sockets-${arm}`);
  return onFresh(planting, arm, logs, async ({ port }) => {
    const { connections } = planting;
    const durationMs = 1000 * place.seconds;
    const answers = await runClosedLoop({ port, connections, leadMs: LEAD_MS, durationMs });
    const endMs = Date.now();
    const parts = Array.from({ length: PARTS }, (_, part) =>
      valuesOf(
        answers.filter(({ sentMs }) => Math.floor((PARTS * sentMs) / durationMs) === part),
        durationMs / PARTS,
      ),
    );
    const log = logValues(readLogs(logs).flat(), connections, endMs - durationMs, endMs);
    return { sources: { sockets: valuesOf(answers, durationMs), log }, parts };
  });
}

/** One continuous run by wrk, on a fresh process. */
export async function measureByWrk(
  wrk: NonNullable<Awaited<ReturnType<typeof findWrk>>>,
  planting: PlantedService,
  arm: string,
  { folder, seconds }: Place,
): Promise<Values> {
  return onFresh(planting, arm, join(folder, `wrk-${arm}`), async ({ port }) => {
    const { connections } = planting;
    await runClosedLoop({ port, connections, leadMs: 0, durationMs: LEAD_MS });
    return runWrk(wrk, { port, connections, seconds });
  });
}

async function onFresh<T>(
  planting: PlantedService,
  arm: string,
  logs: string,
  run: (service: PlantedProcess) => Promise<T>,
): Promise<T> {
  const service = await startPlanted(planting, arm, logs);
  try {
    return await run(service);
  } finally {
    await service.stop();
  }
}

/** The rate of the 2xx answers to requests sent in a time, and their latencies. */
export function valuesOf(answers: readonly Answer[], durationMs: number): Values {
  const latencies = answers.filter(({ isOk }) => isOk).map(({ latencyMs }) => latencyMs);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number | null => latencies[Math.ceil(share * latencies.length) - 1] ?? null;
  return {
    requests_per_s: (1000 * latencies.length) / durationMs,
    latency_mean_ms: latencies.length === 0 ? null : mean(latencies),
    latency_p95_ms: at(0.95),
    latency_p99_ms: at(0.99),
  };
}

/**
 * By the service's log between two moments: the rate, and where all was answered with 200 the mean latency, which is
 * connections / rate in a closed loop (Little 1961). What it held an answer for itself leaves out what waited in its sockets.
 */
export function logValues(lines: readonly LogLine[], connections: number, fromMs: number, toMs: number): Values {
  const own = lines.filter(({ atMs }) => fromMs <= atMs && atMs <= toMs);
  const [first, last] = [own[0], own.at(-1)];
  const ok = (last?.ok ?? 0) - (first?.ok ?? 0);
  const none = { requests_per_s: null, latency_mean_ms: null, latency_p95_ms: null, latency_p99_ms: null };
  if (first === undefined || last === undefined || ok === 0) return none;
  const everyMs = (last.atMs - first.atMs) / ok;
  const isAll = last.answers - first.answers === ok;
  return { ...none, requests_per_s: 1000 / everyMs, latency_mean_ms: isAll ? connections * everyMs : null };
}
