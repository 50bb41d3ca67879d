/** A fact that a probe could not see. Worded in src/cli/progress/warning-words.ts. `cause` is an error's message. */
export type ProbeWarning =
  /** It could not be read, for the first time in the run. `role`: of which process. */
  | { readonly kind: 'probe-missed'; readonly probe: string; readonly role?: string; readonly cause: string }
  /** Metrics that the scenario names, and the service's page has never shown. `near`: those that it shows and that are most like them. */
  | {
      readonly kind: 'metrics-missing';
      readonly path: string;
      readonly names: readonly string[];
      readonly near: readonly string[];
    }
  /** pg_stat_database could not be read, so its samples end there. */
  | { readonly kind: 'samples-ended'; readonly cause: string };
