import { join, resolve } from 'node:path';

/** The environment of a planted service: what it is, in numbers. */
export type ServiceEnv = Readonly<Record<string, string | number>>;

/** Metrics that are compared with the truth, by their names in summary.json. */
export const metrics = ['requests_per_s', 'latency_mean_ms', 'latency_p95_ms', 'latency_p99_ms'] as const;
export type Metric = (typeof metrics)[number];

/** A value for each metric, in the metric's unit; null where it is not known. */
export type Values = Readonly<Record<Metric, number | null>>;

/** A service of services/ with something planted in its variants. Its truth is measured, and theory may know it as well. */
export interface PlantedService {
  readonly kind: 'service';
  readonly name: string;
  /** For the table. */
  readonly about: string;
  readonly rounds: number;
  /** Of the whole run, such as 2m. */
  readonly budget: string;
  /** A file of services/, without its ending. */
  readonly service: string;
  readonly connections: number;
  /** What is sent in place of a closed loop of `connections`, in YAML. Its `change` says all that is known to be true. */
  readonly sent?: string;
  /** By arm; the first is the control. */
  readonly arms: Readonly<Record<string, ServiceEnv>>;
  /** By arm, in full or in part. */
  readonly theory?: Readonly<Record<string, Partial<Values>>>;
  /** Its arms wait and hardly need a CPU: their continuous runs are made at once, and what the machine does strikes them alike. */
  readonly isTogether?: true;
  /** Its Postgres, where it needs one: a script of services/ that fills the database, and each arm's settings of its own server. */
  readonly postgres?: {
    readonly fill: string;
    readonly settings: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  };
  /** Part of `load` in YAML, such as `slice: 2s`. */
  readonly load?: string;
  /**
   * In percent, from theory alone, where one continuous minute does not tell: null is not known. A metric that is not here
   * is measured.
   */
  readonly change?: Readonly<Record<string, Partial<Values>>>;
}

/** A scenario of which every variant is the same as the control: the truth of every change is 0. */
export interface IdenticalArms {
  readonly kind: 'identical';
  readonly name: string;
  /** For the table. */
  readonly about: string;
  /** The scenario in YAML, without paths of its own folder. */
  readonly text: string;
}

export type Planting = PlantedService | IdenticalArms;

/** The names of a planting's arms, the control first. Throws where there is none to compare. */
export function armsOf({ name, arms }: PlantedService): readonly [control: string, ...variants: string[]] {
  const [control, ...variants] = Object.keys(arms);
  if (control === undefined || variants.length === 0) throw new Error(`${name} has nothing to compare`);
  return [control, ...variants];
}

/** The folder of the planted services. */
export const servicesFolder = resolve(import.meta.dirname, 'services');

/** The environment of an arm's service; its log goes to a folder. */
export function envOf(arm: string, env: ServiceEnv, logFolder: string): Record<string, string> {
  const own = Object.entries(env).map(([name, value]) => [name, String(value)]);
  return { ...Object.fromEntries(own), TRUTH_ARM: arm, TRUTH_LOG: logFolder };
}

/** The scenario of a planted service, in JSON, which is YAML. Nothing but load is looked at. */
export function scenarioOf(planting: PlantedService, logFolder: string): string {
  const { about, service, connections, arms, postgres, load = '' } = planting;
  const { sent = `connections: [${connections}], requests: [{ path: / }]` } = planting;
  const [control] = armsOf(planting);
  const variants = Object.entries(arms).map(([arm, env]) => {
    const settings = postgres?.settings[arm];
    return [arm, { env: envOf(arm, env, logFolder), ...(settings !== undefined && { settings }) }];
  });
  const data =
    postgres === undefined
      ? ''
      : `dataset: { command: ${JSON.stringify(`node ${join(servicesFolder, postgres.fill)}.mjs`)} }\n`;
  return `
title: ${JSON.stringify(about)}
target: { command: node ${service}.mjs, cwd: ${JSON.stringify(servicesFolder)}, ready: /health${postgres === undefined ? ', database: none' : ''} }
${data}variants: ${JSON.stringify(Object.fromEntries(variants))}
control: ${control}
load: { ${sent}, maxFailedRate: 100%${load === '' ? '' : `, ${load}`} }
probes: { all: off }
`;
}
