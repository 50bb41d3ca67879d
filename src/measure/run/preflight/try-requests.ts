import { PgsweepError } from '../../../base/errors.ts';
import { seedOf } from '../../../base/random.ts';
import { formatDuration } from '../../../base/units.ts';
import { oneLine } from '../../../base/visible.ts';
import { isFolder } from '../../../journal/sample.ts';
import type { LoadSpec } from '../../../journal/scenario-record.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import type { StartedGenerator } from '../../load/generator-process.ts';
import type { TriedRequest } from '../../load/try/tried-request.ts';
import type { RequestTrial } from '../../load/try/try-requests.ts';
import { levelPlan } from '../../plan/level-plan.ts';
import { saidBy } from '../../target/last-lines.ts';
import { addressOf, type StartedTarget } from '../../target/target.ts';
import type { RoundContext, RoundIo } from '../round/round-context.ts';

/** The first answers of a service may take longer than `load.timeout` allows those that follow. */
const LEAST_LIMIT_MS = 4000;
/** An answer that takes longer is worth a word. */
const SLOW_MS = 4000;
/** Shorter latencies change no length of a run. */
const LONG_MS = 50;
/** A kind of request that fails as rarely as it may is taken for broken this often, at most. */
const FALSE_ALARM = 1e-6;
const MOST_TRIES = 20;
const MOST_BODY = 300;

export interface TryRequests extends Pick<RoundContext, 'scenario' | 'seed'> {
  readonly generator: Pick<StartedGenerator, 'tryRequests'>;
  readonly io: Pick<RoundIo, 'signal'>;
}

/**
 * Sends one request of each kind to a service that runs, and returns what it answered and how fast. Throws PgsweepError
 * `target` with the answers that no load could have wanted.
 */
export async function tryRequests(context: TryRequests, target: StartedTarget): Promise<TriedRequests> {
  const { scenario, seed, generator, io } = context;
  const { timeoutMs, workload } = scenario.load;
  // A job sends none.
  if (workload.kind === 'requests' && workload.requests.length === 0) return { findings: [], latencyMs: null };
  const trial = trialOf({ scenario, seed }, target);
  const tried = await generator.tryRequests(trial, io.signal);
  const failed = tried.filter(hasFailed);
  if (failed.length > 0) throw requestsFail(failed, target.tail(), trial.limitMs);
  const slow = tried.filter(({ tookMs = 0 }) => tookMs > SLOW_MS);
  const findings = [
    ...slow.map((one) =>
      warning(
        'requests',
        `${requestWords(one)} was answered after ${formatDuration(Math.round(one.tookMs ?? 0))}`,
        `With load.timeout of ${formatDuration(timeoutMs)} it may be fine: look whether it is meant to take so long.`,
      ),
    ),
    ok('requests', tried.map(answerWords).join('; ')),
  ];
  return { findings, latencyMs: await warmLatencyMs(context, target, tried) };
}

/** Result of one request of each kind. */
interface TriedRequests {
  readonly findings: Finding[];
  /** How long an answer takes on average; null where none was sent. */
  readonly latencyMs: number | null;
}

/**
 * The mean time of an answer. First answers of a process are slow: where they take long, a read that was answered before is
 * sent again, and shows by how much.
 */
async function warmLatencyMs(
  context: TryRequests,
  target: StartedTarget,
  tried: readonly TriedRequest[],
): Promise<number | null> {
  const times = tried.flatMap(({ tookMs }) => tookMs ?? []);
  if (times.length === 0) return null;
  const coldMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  if (coldMs < LONG_MS) return coldMs;
  const [again] = await context.generator.tryRequests({ ...trialOf(context, target), reads: 1 }, context.io.signal);
  const before = tried.find(({ name }) => name === again?.name)?.tookMs;
  return again?.tookMs === undefined || before === undefined ? coldMs : coldMs * Math.min(1, again.tookMs / before);
}

/** Sends this many of the scenario's first reads at once, and nothing else. Returns `GET /items/1`; null where no read comes first. */
export async function tryReads(
  { scenario, seed, generator, io }: TryRequests,
  target: StartedTarget,
  reads: number,
): Promise<string | null> {
  const [first] = await generator.tryRequests({ ...trialOf({ scenario, seed }, target), reads }, io.signal);
  return first === undefined ? null : pathWords(first);
}

/** True if a service answers the scenario's first read at all, and where no read comes first. */
export async function stillAnswers(context: TryRequests, target: StartedTarget): Promise<boolean> {
  const trial = trialOf(context, target);
  const [first] = await context.generator.tryRequests({ ...trial, reads: 1 }, context.io.signal);
  return first === undefined || first.outcome.kind === 'answer';
}

/** As `tryReads` sends one. Throws PgsweepError `target` where it fails and no request of the scenario may. */
export async function tryFirstRead(context: TryRequests, target: StartedTarget): Promise<string | null> {
  const { scenario, generator, io } = context;
  const trial = trialOf(context, target);
  const [first] = await generator.tryRequests({ ...trial, reads: 1 }, io.signal);
  if (first === undefined) return null;
  if (scenario.load.maxFailedPercent === 0 && hasFailed(first))
    throw requestsFail([first], target.tail(), trial.limitMs);
  return pathWords(first);
}

function trialOf({ scenario, seed }: Pick<TryRequests, 'scenario' | 'seed'>, target: StartedTarget): RequestTrial {
  const { bulk, timeoutMs } = scenario.load;
  const levels = levelPlan(scenario.load).expected;
  // What is read after a bulk load is not in the database yet.
  const workloads = bulk === undefined ? [...new Set(levels.map(({ workload }) => workload ?? null))] : [];
  return {
    ...addressOf(target),
    workloads,
    // The first document of a large folder takes its time.
    ...(bulk !== undefined && !isFolder(bulk.dataset) && { bulk: bulk.dataset }),
    seed: seedOf(seed, 'try'),
    tries: triesOf(scenario.load),
    limitMs: Math.max(LEAST_LIMIT_MS, timeoutMs),
  };
}

/** Where some may fail, one that does says little. */
function triesOf({ maxFailedPercent = 1 }: LoadSpec): number {
  const share = maxFailedPercent / 100;
  if (share <= 0) return 1;
  return share >= 1 ? 1 : Math.min(MOST_TRIES, Math.ceil(Math.log(FALSE_ALARM) / Math.log(share)));
}

function hasFailed({ outcome }: TriedRequest): boolean {
  return outcome.kind !== 'answer' || !outcome.ok;
}

function requestsFail(failed: readonly TriedRequest[], tail: readonly string[], limitMs: number): PgsweepError {
  const lines = failed.map((one) => failureWords(one, limitMs));
  const own = failed.some(
    ({ outcome }) => outcome.kind === 'error' || (outcome.kind === 'answer' && outcome.status >= 500),
  );
  return new PgsweepError('target', `${lines.join('\n')}${own ? saidBy(tail) : ''}`, {
    hint: `${adviceFor(failed)} This was one request of each kind, on a copy of the data that is gone.`,
  });
}

/** By the first that failed: those that follow in a script are not sent. */
function adviceFor([first]: readonly TriedRequest[]): string {
  const outcome = first?.outcome;
  if (outcome?.kind === 'silence')
    return 'Correct the request or the service; what is meant to take so long needs a longer load.timeout.';
  if (outcome?.kind !== 'answer') return 'Correct the requests or the service.';
  const { status, lacks } = outcome;
  if (lacks !== undefined) return 'Correct the expectation or capture, the request, or the data.';
  if (status === 401 || status === 403)
    return 'Have requests log in (target.login, or a step of the script), or correct what they send.';
  const no = `name the status where it is no failure: expect: [${status}]`;
  if (outcome.location !== undefined)
    return `Redirects are not followed: ask for where it leads, log in first where that is a login, or ${no}.`;
  return `Correct the requests or the service, or ${no}.`;
}

function failureWords(one: TriedRequest, limitMs: number): string {
  const { outcome, expected, sent } = one;
  const times = sent > 1 ? ` (${sent} were tried)` : '';
  const what = `the request ${requestWords(one)}`;
  switch (outcome.kind) {
    case 'answer': {
      if (outcome.lacks !== undefined)
        return `${what} was answered ${outcome.status}, and ${oneLine(outcome.lacks, MOST_BODY)}`;
      const wanted = expected === null ? '2xx' : expected.join(' or ');
      const body = oneLine(outcome.body, MOST_BODY);
      const said = body === '' ? 'without a body' : `: ${body}`;
      const leads = outcome.location === undefined ? '' : `, a redirect to ${oneLine(outcome.location, MOST_BODY)},`;
      return `${what} was answered ${outcome.status}${leads} where ${wanted} is expected${times}${said.startsWith(':') ? said : `, ${said}`}`;
    }
    case 'error':
      return `${what} had no answer${times}: ${outcome.message}`;
    case 'silence':
      return `${what} had no answer within ${formatDuration(limitMs)}`;
  }
}

function answerWords(one: TriedRequest): string {
  const { outcome } = one;
  return `${requestWords(one)} ${outcome.kind === 'answer' ? outcome.status : outcome.kind}`;
}

/** `"create" (POST /items)`, or the latter alone where that is its name. */
function requestWords(one: TriedRequest): string {
  const { name } = one;
  const request = pathWords(one);
  return name === request ? request : `"${oneLine(name, MOST_BODY)}" (${request})`;
}

function pathWords({ method, path }: TriedRequest): string {
  return `${method} ${oneLine(path, MOST_BODY)}`;
}
