import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { maskKnown } from '../../../base/secrets.ts';
import type { K6Workload } from '../../../journal/script-spec.ts';
import { crossedThresholds, isK6Error, type K6Message, readK6Message } from './k6-lines.ts';
import { LEAST_DURATION_MS, scriptModule } from './script-module.ts';

/** The oldest k6 that takes a script's modules and what they open from where they are, as ours needs. */
const OLDEST_MAJOR = 1;
const ANSWER_LIMIT_MS = 30_000;
/** Messages that are kept of the beginning, and of the end. */
const MOST_MESSAGES = 15;
/** k6 runs teardown() first. */
const STOP_GRACE_MS = 5000;

const HINT =
  'Install k6 (https://grafana.com/docs/k6/latest/set-up/install-k6/) so that `k6 version` works in this shell; it is needed for load.k6 alone.';

/** The version of the k6 on PATH. Throws PgsweepError `load` where there is none, or one that is too old. */
export async function k6Version(): Promise<string> {
  const { code, out, messages } = await collect(['version'], '', {});
  const version = /k6(?:\.exe)? v(\d+)(\.\d+\.\d+\S*)/.exec(out);
  if (code !== 0 || version === null)
    throw new PgsweepError('load', `k6 version says: ${out.trim() || lastOf(messages)}`, { hint: HINT });
  if (Number(version[1]) < OLDEST_MAJOR)
    throw new PgsweepError('load', `k6 is v${version[1]}${version[2]}, and must be v${OLDEST_MAJOR} or newer`, {
      hint: HINT,
    });
  return `${version[1]}${version[2]}`;
}

/** Facts about a script that compiles. */
export interface InspectedScript {
  /** The metrics that it has thresholds for. */
  readonly thresholds: readonly string[];
}

/** Compiles a script, and runs only its init code, which k6 runs before any load. Throws PgsweepError `scenario` with what k6 says is wrong. */
export async function inspectScript(workload: K6Workload): Promise<InspectedScript> {
  const variables = { ...workload.env, [workload.urlVariable]: 'http://127.0.0.1', [workload.tokenVariable]: '' };
  const load = { kind: 'users', users: 1, durationMs: LEAST_DURATION_MS } as const;
  const args = ['inspect', '--include-system-env-vars', '--log-format', 'json', '-'];
  const module = scriptModule({ workload, load, graceMs: 0 });
  const { code, out, messages } = await collect(args, module, { cwd: dirname(workload.script), variables });
  if (code !== 0) throw scriptError(workload, messages);
  const { thresholds } = JSON.parse(out) as { thresholds?: object | null };
  return { thresholds: Object.keys(thresholds ?? {}) };
}

/** Error in k6's own words that it cannot run the script. */
export function scriptError({ script }: Pick<K6Workload, 'script'>, messages: readonly K6Message[]): PgsweepError {
  const errors = messages.filter(isK6Error);
  // What k6 calls the script is our module.
  const said = lastOf(errors.length > 0 ? errors : messages).replace(
    /^(could not (initialize|load JS test) '[^']*': )+/,
    '',
  );
  return new PgsweepError('scenario', `k6 cannot run ${script}: ${said}`, {
    hint: `Try it alone: BASE_URL=... k6 run ${script}`,
  });
}

function lastOf(messages: readonly K6Message[]): string {
  return maskKnown(messages.at(-1)?.text ?? 'it says nothing');
}

interface Collected extends EndedK6 {
  readonly out: string;
}

async function collect(args: readonly string[], input: string, options: K6Options): Promise<Collected> {
  const out: string[] = [];
  const started = await startK6(args, input, { ...options, onLine: (line) => out.push(line) });
  const limit = setTimeout(started.stop, ANSWER_LIMIT_MS);
  const ended = await started.ended;
  clearTimeout(limit);
  return { ...ended, out: out.join('\n') };
}

export interface K6Options {
  readonly cwd?: string;
  /** For the script's `__ENV`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Hears each line of its standard output. */
  readonly onLine?: (line: string) => void;
}

export interface EndedK6 {
  /** Null where it was killed. */
  readonly code: number | null;
  /** Its first messages, and its last ones. */
  readonly messages: readonly K6Message[];
  /** How many errors it reported, without crossed thresholds. */
  readonly errors: number;
}

/** A k6 at work. */
export interface RunningK6 {
  readonly pid: number;
  readonly ended: Promise<EndedK6>;
  /** Asks it to end, and kills it where it does not. */
  stop(): void;
}

/** Runs a module of `scriptModule`; each sample is a line. Throws PgsweepError `load` where there is no k6. */
export function runModule(module: string, { thresholds, ...options }: K6Options & InspectedScript): Promise<RunningK6> {
  // Its own server, by which other programs could steer it, stays off; so do the banner, the bars and the summary.
  const args = ['run', '--quiet', '--no-color', '--linger=false', '--address', '', '--log-format', 'json'];
  // Where nobody asks for a threshold, k6 need not add up what we add up.
  const none = thresholds.length === 0 ? ['--no-thresholds'] : [];
  // For 20,000 requests k6 took 2.1 s of CPU without any output and with this one, and 2.7 s with CSV.
  return startK6([...args, ...none, '--out', 'json=-', '-'], module, options);
}

async function startK6(args: readonly string[], input: string, options: K6Options): Promise<RunningK6> {
  const { cwd, variables = {}, onLine } = options;
  // In our own process group: what ends the generator ends k6.
  const child = spawn('k6', [...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    env: { ...withoutOptions(process.env), ...variables, ...silent },
    ...(cwd !== undefined && { cwd }),
  });
  const { stdin, stdout, stderr } = child;
  eachLine(stdout, (line) => onLine?.(line));
  const messages: K6Message[] = [];
  let errors = 0;
  eachLine(stderr, (line) => {
    if (line.trim() === '') return;
    const message = readK6Message(line);
    messages.push(message);
    if (isK6Error(message) && crossedThresholds(message).length === 0) errors++;
    // The first of the errors tells most, and thresholds come last.
    if (messages.length > 2 * MOST_MESSAGES) messages.splice(MOST_MESSAGES, 1);
  });
  const ended = new Promise<EndedK6>((resolve) => {
    child.once('close', (code) => resolve({ code, messages, errors }));
  });
  await spawned(child);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  void ended.then(() => process.off('exit', kill));
  // A k6 that ends at once does not read it.
  stdin.on('error', () => {});
  stdin.end(input);
  return {
    pid: child.pid ?? 0,
    ended,
    stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(kill, STOP_GRACE_MS);
      void ended.then(() => clearTimeout(timer));
    },
  };
}

/** Calls `hear` with each line of a stream. It takes a quarter of node:readline's time, and k6 prints ten lines a request. */
function eachLine(stream: Readable, hear: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
  stream.on('end', () => rest !== '' && hear(rest));
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'there is no program k6 on PATH' : `cannot start k6: ${messageOf(cause)}`;
      reject(new PgsweepError('load', why, { hint: HINT, cause }));
    });
  });
}

/** Nothing leaves this machine but what the script sends: no usage report, no extension from k6's build service. */
const silent = {
  K6_NO_USAGE_REPORT: 'true',
  K6_AUTO_EXTENSION_RESOLUTION: 'false',
  K6_BINARY_PROVISIONING: 'false',
  K6_SUMMARY_MODE: 'disabled',
};

/** An environment without k6's variables: they would win over the scenario's load, add outputs, or hold the token of its cloud. */
function withoutOptions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('K6_')));
}
