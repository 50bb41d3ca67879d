import type { Thing } from './things.ts';

/** What a test was skipped for: `needs` writes it, the report of skipped tests and `.ci/run` read it. */
export interface Lacking {
  readonly thing: Thing;
  readonly why: string;
}

declare module 'vitest' {
  export interface TaskMeta {
    lacking?: Lacking;
  }
}
