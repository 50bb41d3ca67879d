import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { type Contexts, filledIn, runsNow } from './expressions.ts';

/** A step of a job or of a composite action, as it is written. */
export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** A step that was run. */
export interface RanStep {
  readonly name: string;
  readonly outcome: 'success' | 'failure' | 'skipped';
  /** What it printed, both streams in turn; empty for what is somebody else's action. */
  readonly log: string;
}

/** What GitHub gives to a job. */
export interface Machine {
  readonly workspace: string;
  /** For RUNNER_TEMP and the files by which steps tell the runner something; not in the workspace. */
  readonly temp: string;
  readonly env: Readonly<Record<string, string>>;
  /** The context `github`. */
  readonly github: Readonly<Record<string, unknown>>;
  /** Does what somebody else's action would do, and returns its outputs. */
  readonly useAction: (uses: string, inputs: Readonly<Record<string, string>>) => Promise<Record<string, string>>;
}

export interface RanJob {
  readonly conclusion: 'success' | 'failure';
  /** Those of composite actions too, in the order in which they ran. */
  readonly steps: readonly RanStep[];
  readonly summary: string;
}

/** Runs the steps of a job one after the other, each `run` by bash as GitHub's runner does. */
export async function runJob(steps: readonly Step[], machine: Machine): Promise<RanJob> {
  const files = join(machine.temp, 'runner');
  mkdirSync(files);
  const job: JobState = { machine, files, path: [], ran: [] };
  const { allWell } = await runSteps(steps, { github: machine.github }, job, null);
  const summary = job.ran.map((_, index) => readOrEmpty(join(files, `${index}-summary`))).join('');
  return { conclusion: allWell ? 'success' : 'failure', steps: job.ran, summary };
}

/** The action of a folder. */
export function readAction(folder: string): Action {
  return parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as Action;
}

interface JobState {
  readonly machine: Machine;
  readonly files: string;
  /** Folders that steps have put before PATH. */
  readonly path: string[];
  readonly ran: RanStep[];
}

type Outputs = Readonly<Record<string, string>>;

interface Ended {
  readonly allWell: boolean;
  readonly outputs: Readonly<Record<string, { readonly outputs: Outputs }>>;
}

async function runSteps(
  steps: readonly Step[],
  contexts: Contexts,
  job: JobState,
  actionFolder: string | null,
): Promise<Ended> {
  const outputs: Record<string, { outputs: Outputs }> = {};
  let allWell = true;
  for (const step of steps) {
    const now = { ...contexts, steps: outputs };
    if (!runsNow(step.if, allWell, now)) {
      job.ran.push({ name: nameOf(step), outcome: 'skipped', log: '' });
      continue;
    }
    const ended = await runStep(step, now, job, actionFolder);
    allWell &&= ended.ok;
    if (step.id !== undefined) outputs[step.id] = { outputs: ended.outputs };
  }
  return { allWell, outputs };
}

interface StepEnd {
  readonly ok: boolean;
  readonly outputs: Outputs;
}

function runStep(step: Step, contexts: Contexts, job: JobState, actionFolder: string | null): Promise<StepEnd> {
  if (step.uses === undefined) return runShell(step, contexts, job, actionFolder);
  const inputs = filledInAll(step.with, contexts);
  if (step.uses.startsWith('./')) return runComposite(join(job.machine.workspace, step.uses), inputs, contexts, job);
  return useAction(step, step.uses, inputs, job);
}

async function useAction(step: Step, uses: string, inputs: Outputs, job: JobState): Promise<StepEnd> {
  const outputs = await job.machine.useAction(uses, inputs);
  job.ran.push({ name: nameOf(step), outcome: 'success', log: '' });
  return { ok: true, outputs };
}

async function runComposite(folder: string, given: Outputs, contexts: Contexts, job: JobState): Promise<StepEnd> {
  const action = readAction(folder);
  const unknown = Object.keys(given).filter((name) => action.inputs[name] === undefined);
  if (unknown.length > 0) throw new Error(`${folder} has no input ${unknown.join(', ')}`);
  const defaults = Object.entries(action.inputs).map(([name, input]): [string, string] => [name, input.default ?? '']);
  const inputs = { ...Object.fromEntries(defaults), ...given };
  const { allWell, outputs } = await runSteps(action.runs.steps, { ...contexts, inputs }, job, folder);
  const values = Object.entries(action.outputs).map(([name, { value }]): [string, string] => [
    name,
    filledIn(value, { steps: outputs }),
  ]);
  return { ok: allWell, outputs: Object.fromEntries(values) };
}

async function runShell(step: Step, contexts: Contexts, job: JobState, actionFolder: string | null): Promise<StepEnd> {
  const { machine, files, path, ran } = job;
  const told = (what: string): string => join(files, `${ran.length}-${what}`);
  const script = told('script.sh');
  // The runner fills in what stands in the script, too: that is how texts of strangers come to be run.
  writeFileSync(script, filledIn(step.run ?? '', contexts));
  for (const what of ['output', 'path', 'summary']) writeFileSync(told(what), '');
  // Where a job names no shell, its runner takes bash without pipefail.
  const args = step.shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail', script] : ['-e', script];
  const child = spawn('bash', args, {
    cwd: join(machine.workspace, step['working-directory'] ?? '.'),
    env: {
      ...machine.env,
      GITHUB_WORKSPACE: machine.workspace,
      RUNNER_TEMP: machine.temp,
      PATH: [...path.toReversed(), machine.env.PATH].join(delimiter),
      GITHUB_OUTPUT: told('output'),
      GITHUB_PATH: told('path'),
      GITHUB_STEP_SUMMARY: told('summary'),
      ...(actionFolder !== null && { GITHUB_ACTION_PATH: actionFolder }),
      ...filledInAll(step.env, contexts),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const logs = await Promise.all([text(child.stdout), text(child.stderr)]);
  const ok = (await ended) === 0;
  path.push(...linesOf(told('path')));
  const outputs = Object.fromEntries(linesOf(told('output')).map((line) => assignment(line)));
  ran.push({ name: nameOf(step), outcome: ok ? 'success' : 'failure', log: logs.join('') });
  return { ok, outputs };
}

/** `name=value`; the form for values of several lines is not used here. */
function assignment(line: string): [string, string] {
  const end = line.indexOf('=');
  if (end < 1) throw new Error(`this runner reads no output "${line}"`);
  return [line.slice(0, end), line.slice(end + 1)];
}

function nameOf({ name, uses, run }: Step): string {
  return name ?? uses ?? run ?? '';
}

function filledInAll(values: Readonly<Record<string, unknown>> = {}, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filledIn(String(value), contexts)]));
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function readOrEmpty(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
