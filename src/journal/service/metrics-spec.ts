/** Where the service shows its own metrics, in the text format of Prometheus. */
export interface MetricsSpec {
  readonly path: string;
  /** Names, or `name{label="value"}`, besides those that are read of every service. */
  readonly include: readonly string[];
}
