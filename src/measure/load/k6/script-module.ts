import { pathToFileURL } from 'node:url';
import type { K6Workload } from '../../../journal/script-spec.ts';

/** Load that k6 makes with a script, in place of the script's own options. */
export type K6Load =
  /** This many users, each of whom begins the next iteration when the last has ended. */
  | { readonly kind: 'users'; readonly users: number; readonly durationMs: number }
  /** This many iterations begin each second, as long as one of this many users is free. */
  | { readonly kind: 'rate'; readonly rate: number; readonly inFlight: number; readonly durationMs: number }
  /** This many iterations, one after the other. */
  | { readonly kind: 'once'; readonly iterations: number; readonly durationMs: number };

export interface K6Module {
  readonly workload: Pick<K6Workload, 'script' | 'exec' | 'remote'>;
  readonly load: K6Load;
  /** Iterations that are under way at the end get this long. */
  readonly graceMs: number;
}

/** The name of the only scenario of k6's that is run, and of the function in it. */
export const K6_SCENARIO = 'pgsweep';
/** A gauge: when the load began, in ms since 1970. Its first value comes ahead of all requests of the load. */
export const STARTED_METRIC = 'pgsweep_started';
/** k6 refuses a shorter scenario. */
export const LEAST_DURATION_MS = 1000;

/** The tags that are read: k6 writes each with all nine samples of a request. */
const READ_TAGS = ['name', 'method', 'status', 'error_code', 'expected_response', 'check', 'scenario'];
/** They tell whose iteration a sample is of. A rate does not need them. */
const ITERATION_TAGS = ['vu', 'iter'];

/**
 * A module for k6 that runs the user's script under our load. A module can give k6 any scenario, which no option of the
 * command line can, and it keeps all else that the script's options say: thresholds, tags, hosts, TLS. What says how much
 * load there is, or where its results go, is left out; and a threshold must not end a slice.
 */
export function scriptModule({ workload, load, graceMs }: K6Module): string {
  const { script, exec, remote } = workload;
  const file = JSON.stringify(pathToFileURL(script).href);
  const tags = JSON.stringify([...READ_TAGS, ...(load.kind === 'users' ? ITERATION_TAGS : [])]);
  return `import exec from 'k6/execution';
import { Gauge } from 'k6/metrics';
import * as script from ${file};
export * from ${file};

const name = ${JSON.stringify(exec)};
const run = script[name];
if (typeof run !== 'function') {
  const others = Object.keys(script).filter((one) => typeof script[one] === 'function');
  throw new Error('the script exports no function ' + name + (others.length === 0 ? '' : ', but ' + others.join(', ')));
}
const {
  scenarios, vus, duration, iterations, stages, rps, executionSegment, executionSegmentSequence, paused, cloud, ext,
  thresholds, systemTags, blacklistIPs, ...own
} = script.options || {};
const like = Object.values(scenarios || {}).find((one) => (one.exec || 'default') === name) || {};
const limits = Object.entries(thresholds || {}).map(([metric, all]) => [
  metric,
  [all].flat().map((one) => (typeof one === 'string' ? one : { threshold: one.threshold })),
]);
const named = limits.flatMap(([metric]) => Array.from(metric.matchAll(/[{,]\\s*([a-z_]+)\\s*:/g), (found) => found[1]));
const known = ['proto', 'subproto', 'url', 'group', 'error', 'tls_version', 'service', 'vu', 'iter', 'ip', 'ocsp_status'];

export const options = {
  ...own,
  thresholds: Object.fromEntries(limits),
  systemTags: ${tags}.concat(known.filter((tag) => named.includes(tag) && !${tags}.includes(tag))),
  blacklistIPs: (blacklistIPs || []).concat(${JSON.stringify(remote ? [] : otherThanLoopback())}),
  scenarios: {
    ${K6_SCENARIO}: {
      ...${JSON.stringify(executorOf(load, graceMs))},
      exec: '${K6_SCENARIO}',
      ...(like.env && { env: like.env }),
      ...(like.tags && { tags: like.tags }),
    },
  },
};

const started = new Gauge('${STARTED_METRIC}');
let isTold = false;

export function ${K6_SCENARIO}(data) {
  if (!isTold) {
    isTold = true;
    started.add(exec.scenario.startTime);
  }
  return run(data);
}

export default ${K6_SCENARIO};
`;
}

function executorOf(load: K6Load, graceMs: number): Readonly<Record<string, string | number>> {
  const duration = `${Math.max(LEAST_DURATION_MS, Math.round(load.durationMs))}ms`;
  const gracefulStop = `${Math.round(graceMs)}ms`;
  switch (load.kind) {
    case 'users':
      return { executor: 'constant-vus', vus: load.users, duration, gracefulStop };
    case 'rate': {
      const { rate, perSeconds } = wholeRate(load.rate);
      // One that k6 makes only when it is needed costs the iteration that needed it.
      const vus = { preAllocatedVUs: load.inFlight, maxVUs: load.inFlight };
      return { executor: 'constant-arrival-rate', rate, timeUnit: `${perSeconds}s`, ...vus, duration, gracefulStop };
    }
    case 'once':
      return {
        executor: 'shared-iterations',
        vus: 1,
        iterations: load.iterations,
        maxDuration: duration,
        gracefulStop,
      };
  }
}

/** k6 takes whole numbers: 0.5 a second is 1 in 2 s, to a thousandth. */
function wholeRate(rate: number): { rate: number; perSeconds: number } {
  const perSeconds = [1, 2, 4, 5, 8, 10, 20, 50, 100, 1000].find((seconds) => Number.isInteger(rate * seconds)) ?? 1000;
  return { rate: Math.max(1, Math.round(rate * perSeconds)), perSeconds };
}

/**
 * Every address but those of this machine (127.0.0.0/8 and ::1), as ranges that k6 can be told to keep away from. A range
 * for each bit of the prefix: that of the addresses in which this bit is the first that is another.
 */
export function otherThanLoopback(): string[] {
  const v4 = Array.from({ length: 8 }, (_, at) => {
    const bits = at + 1;
    const first = (127 ^ (0x80 >> at)) & (0xff << (8 - bits)) & 0xff;
    return `${first}.0.0.0/${bits}`;
  });
  const v6 = Array.from({ length: 127 }, (_, at) => {
    const groups = new Array<number>(8).fill(0);
    groups[Math.floor(at / 16)] = 0x8000 >> (at % 16);
    return `${groups.map((group) => group.toString(16)).join(':')}/${at + 1}`;
  });
  return [...v4, ...v6, '0:0:0:0:0:0:0:0/128'];
}
