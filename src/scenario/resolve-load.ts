import { resolve } from 'node:path';
import { present } from '../base/present.ts';
import type { TemplatePart } from '../base/template.ts';
import { formatDuration } from '../base/units.ts';
import type { CapacitySpec } from '../journal/capacity/capacity-spec.ts';
import { traitsOf } from '../journal/load-level.ts';
import { type LoadTraits, loadTraits } from '../journal/load-traits.ts';
import { isOneTransaction, sampleService, usualWorkload } from '../journal/sample.ts';
import type { LoadLevel, LoadSpec, RequestSpec, Target, WorkloadSpec } from '../journal/scenario-record.ts';
import { meanThinkMs } from '../journal/script-spec.ts';
import { type Origin, oneOf, requireFile } from './checks.ts';
import type { Around } from './load/kind.ts';
import { askedKinds, resolveKinds, sourceKeys } from './load/kinds.ts';
import { ownNames, requireOwnNames } from './own-names.ts';
import type { Path, Problem } from './problem.ts';
import type { ScenarioDocument } from './schema.ts';
import { NO_LOGIN } from './script/request-problems.ts';
import { resolveMix } from './script/resolve-script.ts';
import { sentRequest } from './script/sent-request.ts';

type LoadDocument = ScenarioDocument['load'];

/** Keys that say where requests come from, besides those of kinds of load. */
const plainSources = ['workload', 'requests', 'module'];

/** Between two turns lie some milliseconds. */
const LEAST_TURN_MS = 10;
/** After this time without an answer a request has timed out, where nothing else is asked. */
export const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Users begin in a pause with the steps before it sent, and one mean pause is not counted; in a slice of ten each has done ten steps or so, and
 * the share that is lost at its ends is small.
 */
const STEADY_PAUSES = 10;
const LONGEST_LEAST_SLICE_MS = 60_000;

/** Until the queue is full, in a closed loop; at a rate it fills more slowly. At most a tenth of the time under load. */
const DROP_MS = 100;
const RATE_DROP_MS = 1000;
/** Where the run sets them itself, what the first round has. */
const FIRST_SLICE_MS = 4000;
/** Where nobody sets them. */
const FIXED_SLICE_MS = 5000;
/**
 * The rates of five identical arms, calm or beside a neighbour, after 1,000 requests scattered no more than their
 * turns do; on another machine the variance of a start still fell from 5,000 to 30,000. With 3,000 the first round tells
 * whether more are worth their time (src/measure/plan/warmup-length.ts).
 */
const FIRST_WARMUP = { requests: 3000, mostMs: 5000 };

/** The load, with its defaults and where its requests come from. `switched`: lengths where arms are switched before each turn. */
export function resolveLoad(
  load: LoadDocument,
  target: Target,
  origin: Origin,
  problems: Problem[],
  switched: Required<Pick<LoadSpec, 'settleMs' | 'sliceMs'>> | null,
): LoadSpec {
  const hasToken = target.kind !== 'service' && target.login !== undefined;
  const around = { target, hasToken, origin, problems };
  const kinds = askedKinds(load);
  const { levels, maxFailedPercent = 1, ...spec } = resolveKinds(load, around, switched !== null);
  const traits = kindTraits(spec.capacity, levels);
  const workload = resolveWorkload(load, around);
  const thinkMs = traits.axis === 'users' && workload.kind === 'script' ? meanThinkMs(workload) : 0;
  const leastSliceMs = Math.min(LONGEST_LEAST_SLICE_MS, STEADY_PAUSES * thinkMs);
  const { slice = 'auto', warmup = 'auto', turn = 'auto', timeout: timeoutMs = ANSWER_TIMEOUT_MS } = load;
  const autoSlice = !kinds.some(({ fixesSlices }) => fixesSlices) && slice === 'auto';
  const firstMs = Math.max(leastSliceMs, switched?.sliceMs ?? FIRST_SLICE_MS);
  const usualMs = autoSlice ? firstMs : Math.max(FIXED_SLICE_MS, leastSliceMs);
  const { sliceMs = slice === 'auto' ? usualMs : slice } = spec;
  if (typeof turn === 'number' && turn > sliceMs / 2) {
    problems.push({
      path: ['load', 'turn'],
      message: `load.turn: expected at most half of load.slice (${formatDuration(sliceMs / 2)}), or off for whole slices`,
    });
  }
  if (typeof turn === 'number' && turn < LEAST_TURN_MS) {
    problems.push({
      path: ['load', 'turn'],
      message: `load.turn: expected at least ${formatDuration(LEAST_TURN_MS)}`,
    });
  }
  // Less would take one pause of the service or its database for failures.
  if (timeoutMs < 1000) problems.push({ path: ['load', 'timeout'], message: 'load.timeout: expected at least 1s' });
  const transactionsPerRequest = load.transactionsPerRequest ?? knownTransactions(workload);
  return {
    levels,
    ...spec,
    workload,
    sliceMs,
    ...(leastSliceMs > 0 && { leastSliceMs }),
    ...(autoSlice && { autoSlice }),
    // Until the queue is full, and users have come; each of a k6's users opens a connection first.
    dropMs: load.drop ?? (traits.fillsSlowly ? RATE_DROP_MS : Math.max(DROP_MS, thinkMs)),
    turn,
    // At a rate, and of users with their own pace, the same time is the same number of requests in all arms.
    warmupMs: warmup === 'auto' ? FIRST_WARMUP.mostMs : warmup,
    ...(traits.judgedBy === 'throughput' && warmup === 'auto' && { warmupRequests: FIRST_WARMUP.requests }),
    ...(switched !== null && { settleMs: load.settle ?? switched.settleMs }),
    ...processesOf(load, workload, problems),
    ...(load.uniqueFrom !== undefined && { uniqueFrom: load.uniqueFrom }),
    timeoutMs,
    maxFailedPercent: load.maxFailedRate ?? maxFailedPercent,
    ...(transactionsPerRequest !== undefined && { transactionsPerRequest }),
  };
}

/** Traits of the load that is asked for: all its levels are of one kind, but reads after a bulk load. */
function kindTraits(capacity: CapacitySpec | undefined, [first]: readonly LoadLevel[]): LoadTraits {
  if (first !== undefined) return traitsOf(first);
  return loadTraits[capacity?.of ?? 'connections'];
}

function processesOf(load: LoadDocument, workload: WorkloadSpec, problems: Problem[]): Pick<LoadSpec, 'processes'> {
  const { processes } = load;
  if (processes === undefined || processes === 1) return {};
  const { key = workload.kind === 'script' ? 'requests that capture' : null } =
    askedKinds(load).find(({ isDealt }) => !isDealt) ?? {};
  if (key !== null) {
    problems.push({
      path: ['load', 'processes'],
      message: `load.processes goes with load.connections alone, not with load.${key}`,
    });
  }
  return { processes };
}

function knownTransactions(workload: WorkloadSpec): number | undefined {
  return workload.kind === 'built-in' && isOneTransaction(workload.workload) ? 1 : undefined;
}

function resolveWorkload(load: LoadDocument, around: Around): WorkloadSpec {
  const { target, hasToken, origin, problems } = around;
  const kinds = askedKinds(load);
  if (kinds.some(({ runsAlone }) => runsAlone?.(load))) return { kind: 'requests', requests: [] };
  const ownSources = kinds.filter(({ workload }) => workload !== undefined);
  const isFollowed = ({ followedBy = [] }: (typeof ownSources)[number]): boolean =>
    followedBy.some((key) => load[key as keyof LoadDocument] !== undefined);
  const sources = [...plainSources, ...sourceKeys].filter(
    (key) => !ownSources.some((own) => own.refuses?.[key] || (own.key === key && isFollowed(own))),
  );
  const kind = oneOf<string>(load, sources, ['load'], problems);
  const own = ownSources.find(({ key }) => key === kind);
  if (own?.workload !== undefined) return own.workload(load, around);
  if (kind !== 'module' && load.options !== undefined)
    problems.push({ path: ['load'], key: 'options', message: 'load.options goes with load.module' });
  if (kind === 'module') {
    const module = resolve(origin.folder, load.module ?? '');
    requireFile(module, ['load', 'module'], problems);
    return { kind, module, ...(load.options !== undefined && { options: load.options }) };
  }
  if (kind === 'requests') {
    const { requests = [] } = load;
    if (requests.some(({ capture }) => capture !== undefined)) return resolveMix(requests, hasToken, problems);
    const path = ['load', 'requests'];
    const has = { hasToken, hasLoaded: load.bulk !== undefined };
    const written = present(requests.map(({ name }) => name));
    requireOwnNames(written, 'request', path, problems);
    const nameOf = ownNames(written);
    const resolved = requests.map((request, index) => {
      const spec = resolveRequest(request, [...path, index], has, problems);
      return request.name === undefined ? { ...spec, name: nameOf(spec.name) } : spec;
    });
    return { kind, requests: resolved };
  }
  if (kind === 'workload' && (target.kind === 'command' || target.kind === 'services')) {
    problems.push({
      path: ['load'],
      key: 'workload',
      message: `load.workload: these are for ${sampleService.title}; expected requests or module for your own service`,
    });
  }
  return { kind: 'built-in', workload: load.workload ?? usualWorkload.load };
}

type WeightedRequest = NonNullable<LoadDocument['requests']>[number];

function resolveRequest(request: WeightedRequest, path: Path, has: Has, problems: Problem[]): RequestSpec {
  const { weight = 1 } = request;
  return { ...sentRequest(request, path, (parts) => messagesOf(parts, has), problems), weight };
}

interface Has {
  readonly hasToken: boolean;
  /** A bulk load goes before, whose ids may be asked for. */
  readonly hasLoaded: boolean;
}

/** Problems with the placeholders of a text where nothing is captured. Rows of data are for steps of a script alone. */
function messagesOf(parts: readonly TemplatePart[], { hasToken, hasLoaded }: Has): string[] {
  const kinds = parts.map(({ kind }) => kind);
  return [
    ...(!hasLoaded && kinds.includes('loaded') ? ['${loaded} goes with load.bulk'] : []),
    ...(!hasToken && kinds.includes('token') ? [NO_LOGIN] : []),
    ...(kinds.includes('captured') ? ['${captured ...}: no request before it has capture: { NAME: json $.id }'] : []),
    ...(kinds.includes('data') ? ['${data ...} belongs to the steps of load.script'] : []),
  ];
}
