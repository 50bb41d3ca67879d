import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { IdenticalArms, Metric, PlantedService, Planting, ServiceEnv } from './planting.ts';
import { playSmallPool } from './small-pool.ts';

const usual = { kind: 'service', rounds: 5, budget: '2m' } as const;

/** About a millisecond of the thread's time. */
const CPU = { WORK: 1000 };
const rare = (every: number, waitMs: number): ServiceEnv => ({ EVERY: every, WAIT_MS: waitMs });

/** This many connections never wait all at once: a thread that is always busy answers as much with rare waits as without. */
const NEVER_ALL_WAIT = 25;
const nothingOfRate = { requests_per_s: 0, latency_mean_ms: 0 };

/** Rare waits: `base` is the control, and each of `waits` a variant. The shares keep away from 5 and 1 %, where p95 and p99 jump. */
function rareWaits(
  connections: number,
  [kind, base]: readonly [kind: 'timer' | 'CPU', base: ServiceEnv],
  waits: readonly (readonly [every: number, waitMs: number])[],
): PlantedService {
  const nameOf = ([every, waitMs]: readonly [number, number]): string => `1 of ${every}, ${waitMs} ms`;
  const variants = waits.map((wait) => [nameOf(wait), { ...base, ...rare(...wait) }]);
  return {
    ...usual,
    name: `rare-${kind.toLowerCase()}-${connections}`,
    about: `rare waits, ${kind} bound`,
    service: 'rare-waits',
    connections,
    arms: { None: base, ...Object.fromEntries(variants) },
    ...(kind === 'timer' && connections <= 5 && { isTogether: true }),
    ...(kind === 'CPU' &&
      connections >= NEVER_ALL_WAIT && {
        change: Object.fromEntries(waits.map((wait) => [nameOf(wait), nothingOfRate])),
      }),
    budget: waits.length > 1 ? '4m' : usual.budget,
  };
}

const timer = (baseMs: number) => ['timer', { BASE_MS: baseMs }] as const;

const rareOnes: readonly PlantedService[] = [
  rareWaits(1, timer(5), [
    [80, 30],
    [500, 1000],
  ]),
  rareWaits(4, timer(2), [[500, 1000]]),
  rareWaits(5, timer(5), [[211, 300]]),
  rareWaits(25, timer(5), [
    [80, 30],
    [211, 300],
    [1000, 2000],
  ]),
  rareWaits(50, timer(10), [
    [211, 300],
    [1000, 2000],
  ]),
  rareWaits(
    1,
    ['CPU', CPU],
    [
      [80, 30],
      [500, 1000],
    ],
  ),
  rareWaits(4, ['CPU', CPU], [[500, 1000]]),
  rareWaits(
    25,
    ['CPU', CPU],
    [
      [80, 30],
      [211, 300],
      [1000, 2000],
    ],
  ),
  rareWaits(
    50,
    ['CPU', CPU],
    [
      [211, 300],
      [1000, 2000],
    ],
  ),
];

const spreads: readonly PlantedService[] = [
  {
    ...usual,
    name: 'exponential',
    isTogether: true,
    about: 'exponential latencies',
    service: 'spread',
    connections: 10,
    arms: {
      '30 ms': { SPREAD: 'exponential', MEAN_MS: 30 },
      '34 ms': { SPREAD: 'exponential', MEAN_MS: 34 },
    },
  },
  {
    ...usual,
    name: 'lognormal',
    isTogether: true,
    about: 'log-normal latencies, sigma 0.8 and 1.2',
    service: 'spread',
    connections: 10,
    arms: {
      Narrow: { SPREAD: 'lognormal', MEDIAN_MS: 10, SIGMA: 0.8 },
      Wide: { SPREAD: 'lognormal', MEDIAN_MS: 9, SIGMA: 1.2 },
    },
  },
  {
    ...usual,
    name: 'pareto',
    isTogether: true,
    about: 'Pareto latencies up to 2 s, shape 2.5 and 1.3',
    service: 'spread',
    connections: 25,
    arms: {
      Light: { SPREAD: 'pareto', LEAST_MS: 5, SHAPE: 2.5, MOST_MS: 2000 },
      Heavy: { SPREAD: 'pareto', LEAST_MS: 4, SHAPE: 1.3, MOST_MS: 2000 },
    },
  },
];

/** Every 3,000 answers of a millisecond each. */
const pauses = [4, 25].map(
  (connections): PlantedService => ({
    ...usual,
    name: `pauses-${connections}`,
    about: 'the process stops for 150 ms every 3 s of work',
    service: 'pauses',
    connections,
    arms: { None: CPU, Pauses: { ...CPU, EVERY: 3000, PAUSE_MS: 150 } },
  }),
);

/** By theory: 2 slots of 40 ms bear 50 slow requests a second, so 300 in all, which 25 connections wait for 83 ms each. */
const SLOTS = { requests_per_s: 300, latency_mean_ms: 25_000 / 300 };

const queues: readonly PlantedService[] = [
  {
    ...usual,
    name: 'lock',
    about: 'a lock that one of 400 requests holds for 250 ms',
    service: 'lock',
    connections: 10,
    arms: { None: { BASE_MS: 5 }, Lock: { BASE_MS: 5, EVERY: 400, HOLD_MS: 250 } },
  },
  {
    ...usual,
    name: 'small-pool',
    isTogether: true,
    about: '8, 4 or 2 slots of 40 ms for one request of six',
    service: 'small-pool',
    connections: 25,
    arms: { '8 slots': { SLOTS: 8 }, '4 slots': { SLOTS: 4 }, '2 slots': { SLOTS: 2 } },
    theory: { '2 slots': SLOTS },
    budget: '3m',
  },
  {
    ...usual,
    name: 'pool-timeout',
    isTogether: true,
    about: '2 slots of 40 ms for one request of six, 503 after 200 ms',
    service: 'small-pool',
    connections: 25,
    arms: { '8 slots': { SLOTS: 8, TIMEOUT_MS: 200 }, '2 slots': { SLOTS: 2, TIMEOUT_MS: 200 } },
  },
];

const nothing: Readonly<Record<Metric, number>> = {
  ...nothingOfRate,
  latency_p95_ms: 0,
  latency_p99_ms: 0,
};

const others: readonly PlantedService[] = [
  {
    ...usual,
    name: 'identical',
    about: 'identical servers, 1 of 211 answers waits 300 ms in each',
    service: 'rare-waits',
    connections: 5,
    arms: Object.fromEntries(['Control', 'Same 1', 'Same 2'].map((arm) => [arm, { BASE_MS: 5, ...rare(211, 300) }])),
    change: { 'Same 1': nothing, 'Same 2': nothing },
    budget: '3m',
  },
  {
    ...usual,
    name: 'odd-starts',
    about: 'every fifth start is 40 % slower',
    service: 'odd-starts',
    connections: 10,
    arms: { Even: { BASE_MS: 20 }, Odd: { BASE_MS: 20, ODD: 1 } },
    // The mean of ln over starts: a fifth of ln 0.6.
    change: {
      Odd: {
        requests_per_s: 100 * (0.6 ** 0.2 - 1),
        latency_mean_ms: 100 * (0.6 ** -0.2 - 1),
        latency_p95_ms: null,
        latency_p99_ms: null,
      },
    },
    rounds: 15,
    budget: '4m',
  },
];

/** In ms. */
const STALLS = { base: 5, gap: 3000, stall: 200 };
/** Of each connection's time: what a stall is longer than what was left of the answer, which is even from 0 to the base, in each gap with its stall. */
const stalled =
  ((STALLS.stall / STALLS.base) * (1 - Math.exp(-STALLS.base / STALLS.stall)) * STALLS.stall) /
  (STALLS.gap + STALLS.stall);

/** Arms that are noisier than the others, each in the part of the session that it lives in. */
const noisier: readonly PlantedService[] = [
  {
    ...usual,
    name: 'noisy-starts',
    about: 'starts scatter by 10 %, a fifth of that elsewhere',
    service: 'noisy-starts',
    connections: 10,
    arms: {
      Control: { BASE_MS: 20, SCATTER: 0.02 },
      Same: { BASE_MS: 20, SCATTER: 0.02 },
      Noisy: { BASE_MS: 20, SCATTER: 0.1 },
    },
    change: { Same: nothing, Noisy: nothing },
    rounds: 8,
    budget: '4m',
  },
  {
    ...usual,
    name: 'stalls',
    isTogether: true,
    about: 'every 3 s or so all answers stop for 200 ms or so',
    service: 'stalls',
    connections: 4,
    arms: {
      None: { BASE_MS: STALLS.base },
      Stalls: { BASE_MS: STALLS.base, GAP_MS: STALLS.gap, STALL_MS: STALLS.stall },
    },
    change: {
      Stalls: { requests_per_s: -100 * stalled, latency_mean_ms: 100 * (1 / (1 - stalled) - 1) },
    },
    rounds: 8,
    budget: '4m',
  },
];

/** An open loop, and users who pause: what is true of them is known from theory alone. */
const USERS = { users: 36, thinkMs: 100 };
const STALLS_RATE = 100;
const POOL_RATE = 280;
/** Long beside what sockets and timers add. */
const OPEN_BASE_MS = 20;

/**
 * How long a stall holds an answer on average. Where requests come at any time, each meets a stall with its share of the time. A user
 * had the last answer outside of stalls, and meets one so much the less as the next comes soon: stalls come and go at random
 * (a Markov process of two states).
 */
function heldMs(thinkMs: number | null): number {
  const { gap, stall } = STALLS;
  const changes = 1 / gap + 1 / stall;
  const isOutside = thinkMs === null ? 0 : Math.exp(-changes * OPEN_BASE_MS) / (1 + changes * thinkMs);
  return stall * (stall / (gap + stall)) * (1 - isOutside);
}

/** In percent: the mean latency, and the rate where it follows from that. */
function changeOf([before, after]: readonly [beforeMs: number, afterMs: number], thinkMs: number | null) {
  const rate = thinkMs === null ? 1 : (thinkMs + before) / (thinkMs + after);
  return { requests_per_s: 100 * (rate - 1), latency_mean_ms: 100 * (after / before - 1) };
}

/** The same two under another kind of load. */
function openNoisier(by: 'rate' | 'users'): PlantedService[] {
  const users = by === 'users' ? USERS : null;
  const thinkMs = users?.thinkMs ?? null;
  const sentAt = (rate: number): string =>
    users === null
      ? `rate: ${rate}, requests: [{ path: / }]`
      : `users: ${users.users}, script: [{ path: /, think: { exponential: ${thinkMs}ms } }]`;
  const poolMs = (slots: number): number =>
    playSmallPool({ slots, fastMs: OPEN_BASE_MS }, users ?? { rate: POOL_RATE }).meanMs;
  const shared = { ...usual, connections: 0, rounds: 8, budget: '4m' };
  return [
    {
      ...shared,
      name: `stalls-${by}`,
      about: `every 3 s or so all answers stop for 200 ms or so, by ${by}`,
      service: 'stalls',
      sent: sentAt(STALLS_RATE),
      arms: {
        None: { BASE_MS: OPEN_BASE_MS },
        Stalls: { BASE_MS: OPEN_BASE_MS, GAP_MS: STALLS.gap, STALL_MS: STALLS.stall },
      },
      change: { Stalls: changeOf([OPEN_BASE_MS, OPEN_BASE_MS + heldMs(thinkMs)], thinkMs) },
    },
    {
      ...shared,
      name: `small-pool-${by}`,
      about: `8 or 2 slots of 40 ms for one request of six, by ${by}`,
      service: 'small-pool',
      sent: sentAt(POOL_RATE),
      arms: { '8 slots': { SLOTS: 8, FAST_MS: OPEN_BASE_MS }, '2 slots': { SLOTS: 2, FAST_MS: OPEN_BASE_MS } },
      change: { '2 slots': changeOf([poolMs(8), poolMs(2)], thinkMs) },
    },
  ];
}

/** By theory a busy thread has 1 / 1.3 of the answers. */
const deferred: PlantedService = {
  ...usual,
  name: 'deferred',
  about: '30 % of the work comes 200 ms after the answer',
  service: 'deferred',
  connections: 4,
  arms: { None: CPU, Later: { ...CPU, LATER: 0.3, DELAY_MS: 200 } },
  budget: '3m',
};

/** A server each, so that the storm is the variant's alone. */
const storm: PlantedService = {
  ...usual,
  name: 'checkpoint-storm',
  about: 'a checkpoint every 500 answers that update',
  service: 'storm',
  connections: 4,
  arms: { Calm: {}, Storm: { EVERY: 500 } },
  postgres: {
    fill: 'fill-storm',
    settings: { Calm: { max_connections: 101 }, Storm: { max_connections: 102 } },
  },
  budget: '4m',
};

/** Of the hot set: its table in MB, beside 16 MB of shared_buffers. */
const HOT_MB = [8, 16, 24, 64];

/** Scenarios in folders beside this file: nothing differs in any of them. */
function scenarios(): IdenticalArms[] {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.flatMap(({ name }) => {
    const folder = join(import.meta.dirname, name);
    const own = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
    return own.map((file) => ({
      folder,
      file,
      name: file === `${name}.yaml` ? name : `${name}-${basename(file, '.yaml')}`,
    }));
  });
  return files.flatMap(({ folder, file, name }): IdenticalArms[] => {
    const text = readFileSync(join(folder, file), 'utf8').replace(/\bnode ([\w-]+\.mjs)/g, (command, script: string) =>
      existsSync(join(folder, script)) ? `node ${join(folder, script)}` : command,
    );
    const about = /^title: (.*)$/m.exec(text)?.[1] ?? name;
    const one: IdenticalArms = { kind: 'identical', name, about, text };
    if (name !== 'hot-set') return [one];
    return HOT_MB.map((mb) => ({
      ...one,
      name: `hot-set-${mb}`,
      about: `a hot set of ${mb / 16} times shared_buffers, identical arms`,
      text: text.replace(/(fill\.mjs) \d+/, `$1 ${mb}`),
    }));
  });
}

/** Everything that is planted, in the order in which it is measured. */
export function allPlantings(): Planting[] {
  return [
    ...rareOnes,
    ...spreads,
    ...pauses,
    ...queues,
    ...others,
    ...noisier,
    ...openNoisier('rate'),
    ...openNoisier('users'),
    deferred,
    storm,
    ...scenarios(),
  ];
}

/** A handful for a first look. */
const quickNames: readonly string[] = ['rare-timer-5', 'rare-timer-4', 'rare-cpu-4', 'small-pool'];

/** Whether a planting is one of the handful. */
export function isQuick({ name }: Planting): boolean {
  return quickNames.includes(name);
}

/** The planting with four short rounds. A scenario of identical arms stays as it is. */
export function shortened(planting: Planting): Planting {
  return planting.kind === 'identical' ? planting : { ...planting, rounds: 4, budget: '3m' };
}
