import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseTemplate, TemplateError } from '../base/template.ts';
import { parseDurationMs, parsePercent } from '../base/units.ts';
import type {
  DatasetSpec,
  LoadSpec,
  RequestSpec,
  RequestValue,
  ResolvedScenario,
  Target,
  WorkloadSpec,
} from '../journal/scenario-record.ts';
import type { Path, Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';
import { resolveVariants, textEnv } from './variants.ts';

/** Where a scenario stands: relative names are taken from `folder`. */
export interface Origin {
  readonly folder: string;
  readonly file: string;
  readonly name: string;
}

/** Fills in the defaults and checks what no schema can. With problems, the scenario must not be used. */
export function resolveScenario(
  document: ScenarioDocument,
  origin: Origin,
): { scenario: ResolvedScenario; problems: Problem[] } {
  const problems: Problem[] = [];
  const target = resolveTarget(document, origin, problems);
  const { variants, control, problems: variantProblems } = resolveVariants(document, origin.folder);
  problems.push(...variantProblems, ...variantsAgainstTarget(document, target));
  const { rounds, stack } = document;
  const min = rounds?.min ?? Math.min(4, rounds?.max ?? 4);
  const max = rounds?.max ?? Math.max(40, min);
  if (min > max)
    problems.push({ path: ['rounds', 'min'], message: `rounds.min ${min} is more than rounds.max ${max}` });
  const port = stack?.postgres?.port;
  return {
    scenario: {
      name: origin.name,
      title: document.title,
      file: origin.file,
      target,
      dataset: resolveDataset(document, target, origin, problems),
      variants,
      control,
      load: resolveLoad(document.load, target, origin, problems),
      rounds: { min, max, budgetMs: durationOr(rounds?.budget, 600_000) },
      marginPercent: parsePercent(document.margin ?? 5) ?? 5,
      stack: { postgres: { settings: textEnv(stack?.postgres?.settings), ...(port !== undefined && { port }) } },
    },
    problems,
  };
}

function durationOr(text: string | number | undefined, otherwiseMs: number): number {
  return text === undefined ? otherwiseMs : (parseDurationMs(text) ?? otherwiseMs);
}

/** Checks that just one of the keys is there, and returns it. */
function oneOf<Key extends string>(
  value: Readonly<Partial<Record<Key, unknown>>>,
  keys: readonly Key[],
  path: Path,
  problems: Problem[],
): Key | null {
  const [first, second] = keys.filter((key) => value[key] !== undefined);
  if (first === undefined) problems.push({ path, message: `${path.join('.')}: expected one of ${keys.join(', ')}` });
  if (second !== undefined)
    problems.push({
      path,
      key: second,
      message: `${path.join('.')}: expected one of ${keys.join(', ')}, not both ${first} and ${second}`,
    });
  return first ?? null;
}

function requireFolder(folder: string, path: Path, problems: Problem[]): void {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    problems.push({ path, message: `${path.join('.')}: there is no folder ${folder}` });
}

function requireFile(file: string, path: Path, problems: Problem[]): void {
  if (!existsSync(file) || !statSync(file).isFile())
    problems.push({ path, message: `${path.join('.')}: there is no file ${file}` });
}

function resolveTarget(document: ScenarioDocument, origin: Origin, problems: Problem[]): Target {
  const { target } = document;
  const kind = oneOf(target, ['service', 'command', 'url'], ['target'], problems);
  const commandOnly = ['cwd', 'ready', 'readyTimeout', 'stopTimeout', 'portVariable', 'databaseUrlVariable'] as const;
  for (const key of kind === 'command' ? [] : commandOnly) {
    if (target[key] !== undefined)
      problems.push({ path: ['target'], key, message: `target.${key} belongs to a target with command` });
  }
  if (kind === 'url') {
    if (target.env !== undefined)
      problems.push({
        path: ['target'],
        key: 'env',
        message: 'target.env: a url target is started by somebody else, so it gets no environment',
      });
    return { kind, url: target.url ?? '' };
  }
  if (kind === 'service') return { kind, service: 'documents', env: textEnv(target.env) };
  const cwd = resolve(origin.folder, target.cwd ?? '.');
  requireFolder(cwd, ['target', 'cwd'], problems);
  return {
    kind: 'command',
    command: target.command ?? '',
    cwd,
    env: textEnv(target.env),
    ready: target.ready ?? '/health',
    readyTimeoutMs: durationOr(target.readyTimeout, 30_000),
    stopTimeoutMs: durationOr(target.stopTimeout, 10_000),
    portVariable: target.portVariable ?? 'PORT',
    databaseUrlVariable: target.databaseUrlVariable ?? 'DATABASE_URL',
  };
}

/** What a variant may override depends on what starts the service. */
function variantsAgainstTarget(document: ScenarioDocument, target: Target): Problem[] {
  if (target.kind === 'url' && document.sweep !== undefined) {
    return [
      {
        path: [],
        key: 'sweep',
        message:
          'sweep: a url target is started by somebody else, so its environment cannot vary; use variants, each with its own url',
      },
    ];
  }
  const allowed = { service: ['env'], command: ['env', 'command', 'cwd'], url: ['url'] }[target.kind];
  return Object.entries(document.variants ?? {}).flatMap(([name, settings]) =>
    Object.keys(settings ?? {})
      .filter((key) => !allowed.includes(key))
      .map((key) => ({
        path: ['variants', name],
        key,
        message: `variants.${name}.${key} cannot vary with a ${target.kind} target: expected ${allowed.join(', ')}`,
      })),
  );
}

function resolveDataset(document: ScenarioDocument, target: Target, origin: Origin, problems: Problem[]): DatasetSpec {
  const { dataset } = document;
  if (target.kind === 'url') {
    if (dataset !== undefined)
      problems.push({
        path: [],
        key: 'dataset',
        message: 'dataset: a url target has its own database; nothing is loaded',
      });
    return { kind: 'none' };
  }
  if (dataset === undefined) {
    return target.kind === 'service'
      ? { kind: 'template', template: 'partial-grand-bend', documents: 2000, seed: 1 }
      : { kind: 'none' };
  }
  const kind = oneOf(dataset, ['template', 'edfi', 'sql', 'command'], ['dataset'], problems);
  for (const key of kind === 'template' ? [] : (['documents', 'seed'] as const)) {
    if (dataset[key] !== undefined)
      problems.push({ path: ['dataset'], key, message: `dataset.${key} belongs to a dataset with template` });
  }
  if (kind === 'edfi') {
    const folder = resolve(origin.folder, dataset.edfi ?? '');
    requireFolder(folder, ['dataset', 'edfi'], problems);
    return { kind, folder };
  }
  if (kind === 'sql') {
    const files = [dataset.sql ?? []].flat().map((file) => resolve(origin.folder, file));
    files.forEach((file, index) => {
      requireFile(file, Array.isArray(dataset.sql) ? ['dataset', 'sql', index] : ['dataset', 'sql'], problems);
    });
    return { kind, files };
  }
  if (kind === 'command') return { kind, command: dataset.command ?? '', cwd: origin.folder };
  return {
    kind: 'template',
    template: 'partial-grand-bend',
    documents: dataset.documents ?? 2000,
    seed: dataset.seed ?? 1,
  };
}

function resolveLoad(load: ScenarioDocument['load'], target: Target, origin: Origin, problems: Problem[]): LoadSpec {
  const connections = [load.connections].flat();
  connections.forEach((level, index) => {
    if (connections.indexOf(level) < index)
      problems.push({ path: ['load', 'connections', index], message: `load level ${level} stands twice` });
  });
  const sliceMs = durationOr(load.slice, 5000);
  const dropMs = durationOr(load.drop, Math.min(1000, sliceMs / 4));
  if (dropMs > sliceMs / 2) {
    problems.push({
      path: ['load', load.drop === undefined ? 'slice' : 'drop'],
      message: 'load.drop leaves less than half of load.slice to be counted',
    });
  }
  const timeoutMs = durationOr(load.timeout, 10_000);
  // autocannon knows no shorter one.
  if (timeoutMs < 1000) problems.push({ path: ['load', 'timeout'], message: 'load.timeout: expected at least 1s' });
  const workload = resolveWorkload(load, target, origin, problems);
  const transactionsPerRequest = load.transactionsPerRequest ?? knownTransactions(workload);
  return {
    levels: connections.map((level) => ({ connections: level })),
    workload,
    sliceMs,
    dropMs,
    warmupMs: durationOr(load.warmup, 5000),
    slicesPerRound: load.slices ?? 1,
    timeoutMs,
    maxFailedPercent: parsePercent(load.maxFailedRate ?? 1) ?? 1,
    ...(transactionsPerRequest !== undefined && { transactionsPerRequest }),
  };
}

/** A write of the document service is one transaction; what reads cost is its own affair. */
function knownTransactions(workload: WorkloadSpec): number | undefined {
  if (workload.kind !== 'built-in') return undefined;
  return ['upsert-schools', 'insert-schools', 'update-schools'].includes(workload.workload) ? 1 : undefined;
}

function resolveWorkload(
  load: ScenarioDocument['load'],
  target: Target,
  origin: Origin,
  problems: Problem[],
): WorkloadSpec {
  const kind = oneOf(load, ['workload', 'requests', 'module'], ['load'], problems);
  if (kind === 'module') {
    const module = resolve(origin.folder, load.module ?? '');
    requireFile(module, ['load', 'module'], problems);
    return { kind, module };
  }
  if (kind === 'requests') {
    return {
      kind,
      requests: (load.requests ?? []).map((request, index) =>
        resolveRequest(request, ['load', 'requests', index], problems),
      ),
    };
  }
  if (kind === 'workload' && target.kind === 'command') {
    problems.push({
      path: ['load'],
      key: 'workload',
      message:
        'load.workload: these are for the document service; expected requests or module for a service of your own',
    });
  }
  return { kind: 'built-in', workload: load.workload ?? 'upsert-schools' };
}

type RequestDocument = NonNullable<ScenarioDocument['load']['requests']>[number];

function resolveRequest(request: RequestDocument, path: Path, problems: Problem[]): RequestSpec {
  const method = request.method ?? 'GET';
  checkTemplates(request.path, [...path, 'path'], problems);
  checkTemplates(request.headers ?? {}, [...path, 'headers'], problems);
  if (request.body !== undefined) checkTemplates(request.body, [...path, 'body'], problems);
  if (request.body !== undefined && (method === 'GET' || method === 'HEAD')) {
    problems.push({
      path,
      key: 'body',
      message: `a ${method} request has no body: expected method POST, PUT, PATCH or DELETE`,
    });
  }
  return {
    name: request.name ?? `${method} ${request.path}`,
    method,
    path: request.path,
    headers: request.headers ?? {},
    ...(request.body !== undefined && { body: request.body }),
    weight: request.weight ?? 1,
    ...(request.expect !== undefined && { expect: request.expect }),
  };
}

function checkTemplates(value: RequestValue, path: Path, problems: Problem[]): void {
  if (typeof value === 'string') {
    try {
      parseTemplate(value);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push({ path, message: error.message });
    }
  } else if (Array.isArray(value)) {
    value.forEach((item: RequestValue, index) => {
      checkTemplates(item, [...path, index], problems);
    });
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) checkTemplates(item, [...path, key], problems);
  }
}
