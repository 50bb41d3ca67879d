import type { WithLogin } from '../login-spec.ts';
import type { PoolSpec } from '../pool-size.ts';
import type { MetricsSpec } from './metrics-spec.ts';

/** One of several services of the user's own. */
export interface ServiceSpec {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** Over that of the target. */
  readonly env: Readonly<Record<string, string>>;
  /** The path that answers 2xx once it is ready; absent where it is up as soon as it runs. */
  readonly ready?: string;
  readonly readyTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly portVariable: string;
  readonly databaseUrlVariable: string;
}

/** What a variant changes in one of several services; `env` is over all others. */
export type ServiceChange = Partial<Pick<ServiceSpec, 'command' | 'cwd' | 'env'>>;

/** Several services of the user's own, all started once per arm, on one database. */
export interface ServicesTarget extends WithLogin {
  readonly kind: 'services';
  /** By name, in the order in which they are started. */
  readonly services: Readonly<Record<string, ServiceSpec>>;
  /** The name of the one that gets the load. */
  readonly underLoad: string;
  /** Its path that answers 2xx. */
  readonly ready: string;
  /** What every one of them gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent where the scenario says nothing. */
  readonly pool?: PoolSpec;
  /** The metrics of the one that is under load. Absent where the scenario says nothing. */
  readonly metrics?: MetricsSpec;
}
