import { resolve } from 'node:path';
import { didYouMean } from '../base/nearest.ts';
import { withoutUndefined } from '../base/schema-values.ts';
import type { ServiceChange, ServiceSpec, ServicesTarget } from '../journal/scenario-record.ts';
import { DEFAULT_READY } from '../journal/service/ready-path.ts';
import { addressVariables, SERVICE_NAME } from '../journal/service/service-names.ts';
import { requireFolder } from './checks.ts';
import type { Path, Problem } from './problems.ts';
import type { ScenarioDocument } from './schema.ts';

type TargetDocument = ScenarioDocument['target'];
type ServicesDocument = NonNullable<TargetDocument['services']>;
type ChangesDocument = NonNullable<NonNullable<ScenarioDocument['variants']>[string]['services']>;

/** The paths of a scenario are taken from its folder. */
interface Place {
  readonly folder: string;
}

/** These name what the bench runs itself, in variables and in values of probes. */
const TAKEN = ['database', 'generator', 'opensearch', 'postgres', 'service'];

/** Several services under one target, in the order in which they are started. */
export function resolveServices(target: TargetDocument, place: Place, problems: Problem[]): ServicesTarget {
  const services = target.services ?? {};
  problems.push(...nameProblems(services), ...takenVariables(services));
  const order = startOrder(services, problems);
  const underLoad = underLoadOf(target, services, problems);
  const specs = order.map(
    (name) => [name, resolveService(services[name] ?? {}, ['target', 'services', name], place, problems)] as const,
  );
  const ready = services[underLoad]?.ready ?? DEFAULT_READY;
  return {
    kind: 'services',
    services: Object.fromEntries(specs.map(([name, spec]) => [name, name === underLoad ? { ...spec, ready } : spec])),
    underLoad,
    ready,
    env: target.env ?? {},
  };
}

/** A service that pgsweep starts, alone or as one of several, with its defaults. */
export function resolveService(
  service: Omit<ServicesDocument[string], 'command'> & Pick<TargetDocument, 'command'>,
  path: Path,
  { folder }: Place,
  problems: Problem[],
): ServiceSpec {
  const cwd = resolve(folder, service.cwd ?? '.');
  requireFolder(cwd, [...path, 'cwd'], problems);
  return {
    command: service.command ?? '',
    cwd,
    env: service.env ?? {},
    ...(service.ready !== undefined && { ready: service.ready }),
    readyTimeoutMs: service.readyTimeout ?? 30_000,
    stopTimeoutMs: service.stopTimeout ?? 10_000,
    portVariable: service.portVariable ?? 'PORT',
    databaseUrlVariable: service.databaseUrlVariable ?? 'DATABASE_URL',
  };
}

function nameProblems(services: ServicesDocument): Problem[] {
  const names = Object.keys(services);
  if (names.length === 0)
    return [
      { path: ['target', 'services'], message: 'target.services is empty: expected services by name, with a command' },
    ];
  return names.flatMap((key): Problem[] => {
    const place = { path: ['target', 'services'], key };
    if (!SERVICE_NAME.test(key))
      return [{ ...place, message: `target.services.${key}: expected a name of lower-case letters, digits and -` }];
    if (TAKEN.includes(key))
      return [{ ...place, message: `target.services.${key}: ${TAKEN.join(', ')} are names of the bench's own` }];
    return [];
  });
}

/** Where a service would get its port or its database from the variable that has another service's address. */
function takenVariables(services: ServicesDocument): Problem[] {
  const addresses = addressVariables(Object.keys(services).map((name) => ({ name, port: 0 })));
  return Object.entries(services).flatMap(([name, service]) =>
    (['portVariable', 'databaseUrlVariable'] as const)
      .filter((key) => Object.hasOwn(addresses, service[key] ?? ''))
      .map((key) => ({
        path: ['target', 'services', name, key],
        message: `target.services.${name}.${key}: ${service[key]} is the address of another service: call that one otherwise`,
      })),
  );
}

/** As they are listed, but each behind those that it names in `after`. */
function startOrder(services: ServicesDocument, problems: Problem[]): string[] {
  const names = Object.keys(services);
  for (const [name, { after = [] }] of Object.entries(services)) {
    for (const [index, other] of after.entries()) {
      if (names.includes(other) && other !== name) continue;
      problems.push({
        path: ['target', 'services', name, 'after', index],
        message: other === name ? `the service ${name} cannot start after itself` : unknownService(other, names),
      });
    }
  }
  const order: string[] = [];
  for (;;) {
    const left = names.filter((name) => !order.includes(name));
    const isFree = (name: string): boolean =>
      (services[name]?.after ?? []).every((other) => !left.includes(other) || other === name);
    const next = left.find(isFree);
    if (next !== undefined) {
      order.push(next);
      continue;
    }
    if (left.length > 0)
      problems.push({
        path: ['target', 'services'],
        message: `target.services: ${left.join(', ')} wait for each other (after)`,
      });
    return [...order, ...left];
  }
}

/** The one that is named; else the only one that says when it is ready. */
function underLoadOf({ underLoad }: TargetDocument, services: ServicesDocument, problems: Problem[]): string {
  const names = Object.keys(services);
  if (underLoad !== undefined) {
    if (!names.includes(underLoad))
      problems.push({ path: ['target', 'underLoad'], message: unknownService(underLoad, names) });
    return underLoad;
  }
  const answering = names.filter((name) => services[name]?.ready !== undefined);
  const [only] = answering.length === 0 && names.length === 1 ? names : answering;
  if (only === undefined || answering.length > 1)
    problems.push({
      path: ['target'],
      message: `target.underLoad is missing: expected the service that gets the load, one of ${names.join(', ')}`,
    });
  return only ?? '';
}

function unknownService(name: string, names: readonly string[]): string {
  return `no service is called "${name}": expected ${names.join(', ')}${didYouMean(name, names)}`;
}

/** Changes of a variant in some of the services. */
export function resolveChanges(
  changes: ChangesDocument,
  variant: string,
  { folder }: Place,
  problems: Problem[],
): Readonly<Record<string, ServiceChange>> {
  return Object.fromEntries(
    Object.entries(changes).map(([name, { command, cwd, env }]) => {
      const own = cwd === undefined ? undefined : resolve(folder, cwd);
      if (own !== undefined) requireFolder(own, ['variants', variant, 'services', name, 'cwd'], problems);
      return [name, withoutUndefined({ command, cwd: own, env })];
    }),
  );
}

/** Changes of services that there are none of. */
export function changesAgainstServices({ variants, target }: ScenarioDocument): Problem[] {
  const names = Object.keys(target.services ?? {});
  return Object.entries(variants ?? {}).flatMap(([variant, settings]) =>
    Object.keys(target.services === undefined ? {} : (settings.services ?? {}))
      .filter((name) => !names.includes(name))
      .map((key) => ({ path: ['variants', variant, 'services'], key, message: unknownService(key, names) })),
  );
}
