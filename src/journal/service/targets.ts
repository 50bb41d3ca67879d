import { MASK } from '../../base/secrets.ts';
import { poolSpec } from '../pool-size.ts';
import { loginSpec } from '../request-value.ts';
import { sampleService } from '../sample.ts';
import {
  amount,
  byKind,
  byName,
  fields,
  list,
  oneOf,
  optional,
  type Shape,
  text,
  url,
  type ValueOf,
} from '../shape.ts';

/** Where the service shows its own metrics, in the text format of Prometheus. */
export interface MetricsSpec extends ValueOf<typeof metricsSpec> {}
const metricsSpec = fields({
  path: text,
  /** Names, or `name{label="value"}`, besides those that are read of every service. */
  include: list(text),
});

/** A URL whose secret is masked as `***` may be no URL any more. */
export const maskedUrl: Shape<string> = (value) =>
  typeof value === 'string' && value.includes(MASK) ? null : url(value);

/** Settings that are absent where the scenario says nothing. */
const pool = { pool: optional(poolSpec) };
const underLoad = { metrics: optional(metricsSpec), login: optional(loginSpec) };

const process = {
  command: text,
  /** Absolute. */
  cwd: text,
  env: byName(text),
  readyTimeoutMs: amount,
  stopTimeoutMs: amount,
  portVariable: text,
  databaseUrlVariable: text,
};

/** The sample service that comes with the bench. */
export interface ServiceTarget extends ValueOf<typeof serviceTarget> {}
const serviceTarget = fields({
  kind: oneOf('service'),
  service: oneOf(sampleService.service),
  env: byName(text),
  ...pool,
  metrics: underLoad.metrics,
});

/** A service of the user's own, started once per arm. */
export interface CommandTarget extends ValueOf<typeof commandTarget> {}
const commandTarget = fields({
  kind: oneOf('command'),
  ...process,
  /** The path that answers 2xx once the service is ready. */
  ready: text,
  ...pool,
  ...underLoad,
});

/** One of several services of the user's own; its `env` is over that of the target. */
export interface ServiceSpec extends ValueOf<typeof serviceSpec> {}
const serviceSpec = fields({
  ...process,
  /** The path that answers 2xx once it is ready; absent where it is up as soon as it runs. */
  ready: optional(text),
});

/** Changes of a variant to one of several services; `env` is over all others. */
export interface ServiceChange extends ValueOf<typeof serviceChange> {}
export const serviceChange = fields({ command: optional(text), cwd: optional(text), env: optional(byName(text)) });

/** Several services of the user's own, all started once per arm, on one database. */
export interface ServicesTarget extends ValueOf<typeof servicesTarget> {}
const servicesTarget = fields({
  kind: oneOf('services'),
  /** By name, in the order in which they are started. */
  services: byName(serviceSpec),
  /** The name of the one that gets the load, and whose metrics are read. */
  underLoad: text,
  /** Its path that answers 2xx. */
  ready: text,
  /** Variables that every one of them gets. */
  env: byName(text),
  ...pool,
  ...underLoad,
});

/** A service that somebody else started. Nothing is started, reset or sampled in the database. */
export interface UrlTarget extends ValueOf<typeof urlTarget> {}
const urlTarget = fields({
  kind: oneOf('url'),
  url: maskedUrl,
  /** The path that has to answer 2xx; any answer at the url will do where absent. */
  ready: optional(text),
  ...underLoad,
});

/** Nothing is started: a job works on the database alone. */
export interface NoTarget extends ValueOf<typeof noTarget> {}
const noTarget = fields({ kind: oneOf('none'), env: byName(text), ...pool, ...underLoad });

export type Target = ServiceTarget | CommandTarget | ServicesTarget | UrlTarget | NoTarget;
export const target: Shape<Target> = byKind({
  service: serviceTarget,
  command: commandTarget,
  services: servicesTarget,
  url: urlTarget,
  none: noTarget,
});
