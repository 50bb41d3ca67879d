import type { Journal } from '../../src/journal/journal.ts';
import type { SliceRecord } from '../../src/journal/records.ts';

/** A difference that is known: services/busy.mjs works for this many thousand steps before it answers, on its one thread. */
export interface PlantedRun {
  readonly title: string;
  /** By variant; 200 are about 0.3 ms. */
  readonly work: Readonly<Record<string, number>>;
  /** Of `load` in YAML, all but the requests. */
  readonly load: string;
  /** Of `rounds` in YAML. */
  readonly rounds: string;
}

/** Paths in it are taken from this folder. */
export const PLANTED_FILE = 'test/bench/planted.yaml';

/** The scenario of a planted difference. The first variant is the control. */
export function plantedScenario({ title, work, load, rounds }: PlantedRun): string {
  const variants = Object.entries(work).map(([name, steps]) => `${name}: { env: { WORK: "${steps}" } }`);
  return `
title: ${title}
target: { command: node services/busy.mjs, ready: /health, database: none }
variants: { ${variants.join(', ')} }
control: ${Object.keys(work)[0]}
load: { ${load}, requests: [{ path: / }] }
rounds: { ${rounds} }
probes: { all: off }
`;
}

interface Cost {
  /** Between two answers. */
  readonly everyMs: number;
  /** Of the service, for an answer. */
  readonly cpuMs: number;
}

function costOf(slices: readonly SliceRecord[], variant: string): Cost {
  const own = slices.filter((slice) => slice.variant === variant);
  const sum = (pick: (slice: SliceRecord) => number): number => own.reduce((total, slice) => total + pick(slice), 0);
  const answered = sum(({ whole }) => whole.statuses['200'] ?? 0);
  return {
    everyMs: sum(({ windowMs }) => windowMs) / sum(({ latency }) => latency.count),
    cpuMs: sum(({ work }) => work?.serviceCpuMs ?? Number.NaN) / answered,
  };
}

/**
 * The true change of the rate in percent: the service's CPU time an answer is what differs, all else that a cycle takes
 * (the generator, the sockets) stays. With rate r a thread that answers one after the other spends 1/r on each.
 */
export function trueChangePercent(slices: readonly SliceRecord[], control: string, variant: string): number {
  const [before, after] = [costOf(slices, control), costOf(slices, variant)];
  return 100 * (before.everyMs / (before.everyMs + after.cpuMs - before.cpuMs) - 1);
}

/**
 * The same where the thread never waits for anything but a CPU: the rate is the CPU time that it gets over that of an
 * answer. What others take from it is then taken from both alike.
 */
export function saturatedChangePercent(slices: readonly SliceRecord[], control: string, variant: string): number {
  return 100 * (costOf(slices, control).cpuMs / costOf(slices, variant).cpuMs - 1);
}

/** How long arms were under load, all together: warm-up, and what is not counted, included. */
export function loadSecondsOf({ records }: Pick<Journal, 'records'>): number {
  let ms = 0;
  for (const record of records) {
    if (record.type === 'slice') ms += record.loadMs;
    if (record.type === 'warmup') ms += record.durationMs;
  }
  return ms / 1000;
}
