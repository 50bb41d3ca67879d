import { messageOf, PgsweepError } from '../../base/errors.ts';
import { createRandom } from '../../base/random.ts';
import { rememberSecret } from '../../base/secrets.ts';
import { FIRST_UNIQUE } from '../../base/template.ts';
import { workloadModule } from '../../journal/sample.ts';
import type { WorkloadSpec } from '../../journal/scenario-record.ts';
import { mixOf, type ScriptSpec } from '../../journal/script-spec.ts';
import { type BulkLoading, openBulkLoad } from './bulk/bulk-load.ts';
import { requestsOf } from './bulk/requests-of.ts';
import type { Answer, FromGenerator, News, StreamMessage, ToGenerator, WorkloadMessage } from './generator-messages.ts';
import { type InspectedScript, inspectScript } from './k6/k6-program.ts';
import { openK6Stream } from './k6/k6-stream.ts';
import { tryScript } from './k6/try-script.ts';
import type { BulkProgress, BulkResult, LoadJob, LoadStream } from './load-generator.ts';
import { moduleWorkload } from './module-workload.ts';
import { withPauses } from './pause-watch.ts';
import type { RequestSource } from './request-source.ts';
import { declaredRequests } from './requests/declared-requests.ts';
import { type Helpers, startHelpers } from './several/helpers.ts';
import { openStream } from './streams.ts';
import { type RequestTrial, tryReads, tryRequests } from './try/try-requests.ts';
import { uniqueNumbers } from './unique-numbers.ts';
import type { ExampleDocument, WorkloadContext } from './workload-module.ts';

/** The load generator's process: it keeps the streams, one for each arm, of which one at a time has a turn. */

const tellSetAside = (below: number): void => send({ kind: 'unique', below });
let unique = uniqueNumbers(FIRST_UNIQUE, tellSetAside);
let workload: WorkloadMessage | null = null;
const streams = new Map<number, LoadStream>();
const bulkLoads = new Map<number, BulkLoading>();
const turns = new Map<number, UnderWay>();
const loaded = createLoadedDocuments();
/** Where load is made by several processes. */
let helpers: Promise<Helpers> | null = null;
/** Result of `k6 inspect` for the run's script. */
let inspected: Promise<InspectedScript> | null = null;

function send(message: FromGenerator): void {
  process.send?.(message);
}

function sourceFor({
  url,
  load,
  seed,
  token,
}: Pick<LoadJob, 'url' | 'load' | 'seed' | 'token'>): Promise<RequestSource> {
  const { workload: common, documents } = known();
  const spec: WorkloadSpec = load.workload === undefined ? common : { kind: 'built-in', workload: load.workload };
  return sourceOf(spec, {
    random: createRandom(seed),
    unique: () => unique(),
    ...(token !== undefined && { token }),
    documents: loaded.of(url) ?? documents,
    seed,
    url,
  });
}

/** A script has users in place of random numbers, and cookies of the service's address. */
type SourceContext = Omit<WorkloadContext, 'options'> & Pick<LoadJob, 'seed' | 'url'>;

/** They draw from the run's numbers for `unique`, since a service with its own database may keep what is tried. */
function sourcesToTry({ url, workloads, seed, token }: RequestTrial): Promise<RequestSource[]> {
  const { workload: common, documents } = known();
  const context: SourceContext = {
    random: createRandom(seed),
    unique: () => unique(),
    ...(token !== undefined && { token }),
    documents,
    seed,
    url,
  };
  const specs = workloads.map((name): WorkloadSpec => (name === null ? common : { kind: 'built-in', workload: name }));
  // Each by itself, so that a kind that comes rarely need not be waited for.
  const each = specs.flatMap((spec): WorkloadSpec[] =>
    spec.kind === 'requests'
      ? spec.requests.map((request) => ({ kind: 'requests', requests: [request] }))
      : [spec.kind === 'script' ? inOrder(spec) : spec],
  );
  return Promise.all(each.map((spec) => sourceOf(spec, context)));
}

/** Requests that are drawn, some of which need what others capture: one after the other. */
function inOrder(script: ScriptSpec): ScriptSpec {
  const parts = mixOf(script)?.map((step) => ({ kind: 'step' as const, step }));
  return parts === undefined ? script : { ...script, parts };
}

function known(): WorkloadMessage {
  if (workload === null) throw new Error('a job came before the workload');
  return workload;
}

async function sourceOf(spec: WorkloadSpec, context: SourceContext): Promise<RequestSource> {
  switch (spec.kind) {
    case 'built-in':
      return moduleSource(workloadModule(spec.workload), context);
    case 'requests':
      return declaredRequests(spec.requests, context);
    case 'module':
      return moduleSource(spec, context);
    case 'k6':
      throw new Error('a k6 script sends its requests itself');
    case 'script':
      // Its cookies know all public suffixes, which takes longer to load than the rest of this process.
      return (await import('./script/script-source.ts')).scriptSource(spec, context);
  }
}

function moduleSource(
  { module, options = {} }: Pick<Extract<WorkloadSpec, { kind: 'module' }>, 'module' | 'options'>,
  context: SourceContext,
): Promise<RequestSource> {
  return moduleWorkload(module, { ...context, options });
}

/** A k6 script sends its requests by itself; connections are dealt among the processes that there are. */
async function openLoad(job: LoadJob): Promise<LoadStream> {
  const { load } = job;
  const { workload: common } = known();
  if (common.kind === 'k6') {
    // Names of requests and checks are the script's, which has it.
    if (job.token !== undefined) rememberSecret(job.token);
    inspected ??= inspectScript(common);
    return openK6Stream(job, { workload: common, ...(await inspected) });
  }
  const own = async (share: LoadJob): Promise<LoadStream> => openStream(share, await sourceFor(share));
  return helpers === null || !('connections' in load) ? own(job) : (await helpers).open({ ...job, load }, own);
}

/** Signals to work that a message asked for, and that is under way. */
interface UnderWay {
  readonly abort: AbortController;
  /** Ends the sending of a turn. */
  readonly end: AbortController;
}

async function perform(message: StreamMessage, tell: (news: News) => void, { abort, end }: UnderWay): Promise<Answer> {
  const { stream } = message;
  const { signal } = abort;
  switch (message.kind) {
    case 'open':
      streams.set(stream, withPauses(await openLoad(message.job)));
      return { kind: 'opened' };
    case 'turn': {
      const onLive = (requestsPerSecond: number): void => tell({ kind: 'rate', requestsPerSecond });
      const options = { onLive, onSteady: () => tell({ kind: 'steady' }), ends: end.signal, signal };
      return { kind: 'turned', result: await found(streams, stream).turn(message.turn, options) };
    }
    case 'close':
      return { kind: 'closed', result: await taken(streams, stream).close() };
    case 'open-bulk':
      bulkLoads.set(
        stream,
        await openBulkLoad(message.job, await requestsOf(message.job.spec.dataset, message.job), signal),
      );
      return { kind: 'opened' };
    case 'bulk-turn': {
      const durationMs = message.durationMs ?? Number.POSITIVE_INFINITY;
      const onProgress = (progress: BulkProgress): void => tell({ kind: 'bulk-progress', progress });
      return { kind: 'bulk-turned', result: await found(bulkLoads, stream).turn(durationMs, { onProgress, signal }) };
    }
    case 'close-bulk':
      return { kind: 'bulk-closed', result: await closeBulk(taken(bulkLoads, stream)) };
    case 'try': {
      const { trial } = message;
      const { workload: common } = known();
      const onlyReads = trial.reads !== undefined;
      if (common.kind === 'k6')
        return { kind: 'tried', tried: onlyReads ? [] : await tryScript(common, trial, signal) };
      const sources = await sourcesToTry(trial);
      return { kind: 'tried', tried: await (onlyReads ? tryReads : tryRequests)(trial, sources, signal) };
    }
    case 'end':
    case 'abort':
      throw new Error(`an ${message.kind} has no answer`);
  }
}

async function closeBulk(bulk: BulkLoading): Promise<BulkResult> {
  const { result, examples } = await bulk.close();
  loaded.remember(bulk.url, examples);
  return result;
}

function found<T>(streams: ReadonlyMap<number, T>, stream: number): T {
  const open = streams.get(stream);
  if (open === undefined) throw new Error(`there is no open stream ${stream}`);
  return open;
}

function taken<T>(streams: Map<number, T>, stream: number): T {
  const open = found(streams, stream);
  streams.delete(stream);
  return open;
}

/** Sends what the message asks for, or how that failed. */
async function answer(message: StreamMessage): Promise<void> {
  const { stream } = message;
  const underWay = { abort: new AbortController(), end: new AbortController() };
  turns.set(stream, underWay);
  try {
    send({ stream, ...(await perform(message, (news) => send({ stream, ...news }), underWay)) });
  } catch (error) {
    if (underWay.abort.signal.aborted) return send({ kind: 'aborted', stream });
    const known = error instanceof PgsweepError ? error : null;
    send({ kind: 'failed', stream, code: known?.code ?? null, message: messageOf(error), hint: known?.hint ?? null });
  } finally {
    turns.delete(stream);
  }
}

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'workload') {
    workload = message;
    for (const secret of message.secrets) rememberSecret(secret);
    const { uniqueFrom, processes = 1, uniqueStep = processes } = message;
    unique = uniqueNumbers(uniqueFrom, tellSetAside, uniqueStep);
    if (processes > 1) helpers = startHelpers(message, tellSetAside);
    // Whoever opens a stream hears why.
    helpers?.catch(() => {});
  } else if (message.kind === 'abort' || message.kind === 'end') turns.get(message.stream)?.[message.kind].abort();
  else void answer(message);
});
// The bench has gone: nobody waits for the answers.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });

/** This many urls are remembered: more than a round has arms, and few enough to forget those of earlier rounds. */
const MOST_URLS = 32;

/** Documents that bulk loads put into each service, for later workloads. */
interface LoadedDocuments {
  remember(url: string, documents: readonly ExampleDocument[]): void;
  /** Undefined where nothing was loaded there. */
  of(url: string): readonly ExampleDocument[] | undefined;
}

function createLoadedDocuments(): LoadedDocuments {
  const byUrl = new Map<string, readonly ExampleDocument[]>();
  return {
    remember(url, documents) {
      byUrl.delete(url);
      byUrl.set(url, documents);
      const [oldest] = byUrl.keys();
      if (byUrl.size > MOST_URLS && oldest !== undefined) byUrl.delete(oldest);
    },
    of: (url) => byUrl.get(url),
  };
}
