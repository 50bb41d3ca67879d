/** Where something stands in a scenario: keys and places in lists, from the top. */
export type Path = readonly (string | number)[];

/** One mistake in a scenario, at a value (or, with `key`, at that key of the map at `path`). */
export interface Problem {
  readonly path: Path;
  readonly key?: string;
  /** Where it stands, for what has no path. */
  readonly offset?: number;
  readonly message: string;
}
