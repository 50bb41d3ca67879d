import { parseJsonPath } from '../base/json-path.ts';
import { shortened } from '../base/visible.ts';
import { POOL_FACTOR } from '../journal/pool-size.ts';
import type { LoginSpec } from '../journal/request-value.ts';
import { sampleService } from '../journal/sample.ts';
import type { Target } from '../journal/scenario-record.ts';
import { DEFAULT_READY } from '../journal/service/ready-path.ts';
import { treatmentKeys } from '../measure/treatment/kinds.ts';
import { type Origin, oneOf } from './checks.ts';
import type { Problem } from './problems.ts';
import { resolveService, resolveServices } from './resolve-services.ts';
import type { ScenarioDocument } from './schema.ts';
import { partKeys, partOfFactor, runningPartKeys, type WithLevels } from './variant-parts/parts.ts';

/** The service under test, with its defaults. */
export function resolveTarget(document: ScenarioDocument, origin: Origin, problems: Problem[]): Target {
  const { target } = document;
  const { env = {} } = target;
  if (isNone(document)) return { kind: 'none', env };
  const kind = oneOf(target, ['service', 'command', 'services', 'url'], ['target'], problems);
  problems.push(...misplacedKeys(target, kind));
  const metrics = target.metrics && { metrics: target.metrics };
  const login = loginOf(document, kind, problems);
  if (kind === 'url') {
    if (target.env !== undefined)
      problems.push({
        path: ['target'],
        key: 'env',
        message: 'target.env: pgsweep does not start a url target, so it gets no environment',
      });
    const { ready } = target;
    return { kind, url: target.url ?? '', ...(ready !== undefined && { ready }), ...metrics, ...login };
  }
  if (kind === 'service') return { kind, service: sampleService.service, env, pool: sampleService.pool, ...metrics };
  const pool = poolOf(document);
  const ofPool = pool !== undefined && { pool: { variable: pool } };
  if (kind === 'services') return { ...resolveServices(target, origin, problems), ...ofPool, ...metrics, ...login };
  const ready = target.ready ?? DEFAULT_READY;
  const service = resolveService({ ...target, ready }, ['target'], origin, problems);
  return { kind: 'command', ...service, ready, ...ofPool, ...metrics, ...login };
}

/** True if a job runs on the database alone. */
function isNone({ target: { env: _, ...target }, load }: ScenarioDocument): boolean {
  return load.job !== undefined && Object.keys(target).length === 0;
}

type OwnedKey =
  | 'cwd'
  | 'ready'
  | 'readyTimeout'
  | 'stopTimeout'
  | 'portVariable'
  | 'databaseUrlVariable'
  | 'database'
  | 'reset'
  | 'pool'
  | 'underLoad';

const owners: Readonly<Record<OwnedKey, readonly Target['kind'][]>> = {
  cwd: ['command'],
  ready: ['command', 'url'],
  readyTimeout: ['command'],
  stopTimeout: ['command'],
  portVariable: ['command'],
  databaseUrlVariable: ['command'],
  database: ['command', 'services'],
  reset: ['command', 'services'],
  pool: ['command', 'services'],
  underLoad: ['services'],
};

/** Keys that belong to another kind of target. */
function misplacedKeys(target: ScenarioDocument['target'], kind: Target['kind'] | null): Problem[] {
  return (Object.keys(owners) as OwnedKey[])
    .filter((key) => target[key] !== undefined && (kind === null || !owners[key].includes(kind)))
    .map((key) => {
      const where = kind === 'services' ? 'each of target.services' : `a target with ${owners[key].join(' or ')}`;
      return { path: ['target'], key, message: `target.${key} belongs to ${where}` };
    });
}

function loginOf(
  { target: { login } }: ScenarioDocument,
  kind: Target['kind'] | null,
  problems: Problem[],
): { readonly login?: LoginSpec } {
  if (login === undefined) return {};
  if (kind === 'service')
    problems.push({
      path: ['target'],
      key: 'login',
      message: `target.login: ${sampleService.title} asks for no token`,
    });
  const { method = 'POST', path, headers = {}, body } = login;
  const from = oneOf(login, ['token', 'cookie'], ['target', 'login'], problems);
  const name = (from === 'cookie' ? login.cookie : login.token) ?? '';
  if (from === 'token' && name.startsWith('$') && parseJsonPath(name) === null)
    problems.push({
      path: ['target', 'login', 'token'],
      message: `target.login.token: expected a path such as $.data.token, not "${shortened(name, 60)}"`,
    });
  return {
    login: {
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
      from: { kind: from === 'cookie' ? 'cookie' : 'json', name },
    },
  };
}

/** The variable that is named, or else that of the factor `pool`. */
function poolOf({ target, sweep, tune }: ScenarioDocument): string | undefined {
  return target.pool ?? sweep?.[POOL_FACTOR]?.env ?? tune?.[POOL_FACTOR]?.env;
}

/** Problems of keys that a variant overrides in vain: its target decides which it may. */
export function variantsAgainstTarget(document: ScenarioDocument, target: Target): Problem[] {
  const variesRunning = (factor: WithLevels): boolean => runningPartKeys.some((key) => key === partOfFactor(factor));
  if (target.kind === 'url' && !Object.values(document.sweep ?? {}).every(variesRunning)) {
    return [
      {
        path: [],
        key: 'sweep',
        message:
          'sweep: pgsweep does not start a url target, so its environment cannot vary; use variants, each with its own url',
      },
    ];
  }
  if (target.kind === 'url' && document.tune !== undefined) {
    const message = 'tune: pgsweep does not start a url target, so it cannot try other settings of it';
    return [{ path: [], key: 'tune', message }];
  }
  const ofJob = document.load.job === undefined ? [] : ['job'];
  const ofAll = ['factors', ...ofJob, ...treatmentKeys, ...partKeys];
  const allowed: readonly string[] = {
    service: ['env', ...ofAll],
    command: ['env', 'command', 'cwd', 'database', 'reset', ...ofAll],
    services: ['env', 'services', 'database', 'reset', ...ofAll],
    url: ['url', 'factors', ...runningPartKeys],
    none: ['env', ...ofAll],
  }[target.kind];
  return Object.entries(document.variants ?? {}).flatMap(([name, settings]) =>
    Object.keys(settings)
      .filter((key) => !allowed.includes(key))
      .map((key) => ({
        path: ['variants', name],
        key,
        message: `variants.${name}.${key} cannot vary with a ${target.kind} target${whyNot(target, key)}: expected ${allowed.join(', ')}`,
      })),
  );
}

function whyNot({ kind }: Target, key: string): string {
  return kind === 'url' && treatmentKeys.includes(key) ? ", whose database is not the bench's" : '';
}
