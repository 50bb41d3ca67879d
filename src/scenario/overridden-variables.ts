import { LIBPQ_VARIABLES } from '../base/libpq-env.ts';
import { sampleService } from '../journal/sample.ts';
import type { Target } from '../journal/scenario-record.ts';
import { addressVariables } from '../journal/service/service-names.ts';
import type { Path, Problem } from './problem.ts';
import type { ScenarioDocument } from './schema.ts';

/** A process that gets an environment, with the variables of its port and its database. A job has no port. */
interface Process {
  readonly portVariable?: string;
  readonly databaseUrlVariable: string;
}

/** One `env` of a scenario, and the processes that get it. */
interface Place {
  readonly path: Path;
  readonly env: object | undefined;
  readonly processes: readonly Process[];
  /** True if one of them has a database that pgsweep does not give it. */
  readonly hasOwnDatabase: boolean;
}

const JOB: Process = { databaseUrlVariable: 'DATABASE_URL' };

/** Variables that the scenario sets in vain, since pgsweep sets them after it: such variants would differ in their names alone. */
export function overriddenVariables(document: ScenarioDocument, target: Target): Problem[] {
  const others = otherVariables(document, target);
  return placesOf(document, target).flatMap(({ path, env = {}, processes, hasOwnDatabase }) => {
    const database = hasOwnDatabase ? {} : databaseVariables(processes, target);
    const own: Readonly<Record<string, string>> = { ...others, ...database, ...portVariables(processes) };
    return Object.keys(env).flatMap((key): Problem[] => {
      const why = key.startsWith('PGSWEEP_') ? 'names that begin so are its own' : own[key];
      if (why === undefined) return [];
      const message = `${[...path, key].join('.')}: pgsweep sets ${key} itself: ${why}`;
      // A factor names its variable as a value.
      return [path[0] === 'sweep' || path[0] === 'tune' ? { path, message } : { path, key, message }];
    });
  });
}

function placesOf(document: ScenarioDocument, target: Target): Place[] {
  const { services = {}, env, database } = document.target;
  const { variants = {}, sweep = {}, tune = {} } = document;
  const byName: Readonly<Record<string, Process>> = target.kind === 'services' ? target.services : {};
  const all = processesOf(target);
  const ofOne = (name: string): readonly Process[] => [byName[name] ?? JOB];
  const isOwn = database !== undefined;
  const isOwnOfSome = isOwn || Object.values(variants).some((variant) => variant.database !== undefined);
  return [
    { path: ['target', 'env'], env, processes: all, hasOwnDatabase: isOwnOfSome },
    ...Object.entries(services).map(([name, service]): Place => {
      const path = ['target', 'services', name, 'env'];
      return { path, env: service.env, processes: ofOne(name), hasOwnDatabase: isOwnOfSome };
    }),
    ...Object.entries(variants).flatMap(([variant, settings]): Place[] => {
      const hasOwnDatabase = isOwn || settings.database !== undefined;
      const path = ['variants', variant];
      return [
        { path: [...path, 'env'], env: settings.env, processes: all, hasOwnDatabase },
        ...Object.entries(settings.services ?? {}).map(([name, change]): Place => {
          return { path: [...path, 'services', name, 'env'], env: change.env, processes: ofOne(name), hasOwnDatabase };
        }),
      ];
    }),
    ...Object.entries({ sweep, tune }).flatMap(([root, factors]) =>
      Object.entries(factors).map(([name, factor]): Place => {
        const set = factor.env === undefined ? {} : { [factor.env]: '' };
        return { path: [root, name, 'env'], env: set, processes: all, hasOwnDatabase: isOwn };
      }),
    ),
  ];
}

/** None of a target that already runs: that it gets no environment is reported elsewhere. */
function processesOf(target: Target): readonly Process[] {
  if (target.kind === 'services') return Object.values(target.services);
  if (target.kind === 'command') return [target];
  if (target.kind === 'service') return [sampleService];
  return target.kind === 'none' ? [JOB] : [];
}

/** Each with what to do. A service with another variable for it gets the scenario's value. */
function databaseVariables(processes: readonly Process[], { kind }: Target): Readonly<Record<string, string>> {
  if (processes.length === 0) return {};
  const names = [...LIBPQ_VARIABLES, ...shared(processes.map(({ databaseUrlVariable }) => databaseUrlVariable))];
  const mayHaveOwn = kind === 'command' || kind === 'services';
  const other = mayHaveOwn ? ', or write database: none if the service has its own database' : '';
  return Object.fromEntries(names.map((name) => [name, `each arm has its own copy. Leave it out${other}`]));
}

function portVariables(processes: readonly Process[]): Readonly<Record<string, string>> {
  const names = shared(processes.flatMap(({ portVariable }) => portVariable ?? []));
  return Object.fromEntries(names.map((name) => [name, 'each arm gets a free port. Leave it out']));
}

/** The addresses of several services, and the OpenSearch of the stack. */
function otherVariables({ stack }: ScenarioDocument, target: Target): Readonly<Record<string, string>> {
  const services = Object.keys(target.kind === 'services' ? target.services : {});
  const addresses = Object.keys(addressVariables(services.map((name) => ({ name, port: 0 }))));
  const hasSearch = stack?.opensearch !== undefined && stack.opensearch !== false && target.kind !== 'none';
  return Object.fromEntries([
    ...addresses.map((name) => [name, 'it is the address of a service. Leave it out, or rename that service']),
    ...(hasSearch ? ['OPENSEARCH_URL', 'OPENSEARCH_INDEX_PREFIX'] : []).map((name) => [
      name,
      'it is of stack.opensearch. Leave it out',
    ]),
  ]);
}

/** The name, where all processes have one. */
function shared(names: readonly string[]): readonly string[] {
  const different = [...new Set(names)];
  return different.length === 1 ? different : [];
}
