/** A scenario in which the work of an answer, in thousands of steps, is switched live (services/busy.mjs). */
export function switchedWork(options: {
  readonly title: string;
  readonly levels: readonly [control: number, other: number | string];
  /** How long an answer waits besides; 0 where nothing is said. */
  readonly waitMs?: number;
  /** What `load` has besides its requests. */
  readonly load: string;
  readonly rounds: string;
}): string {
  const { title, levels, waitMs = 0, load, rounds } = options;
  const [control] = levels;
  return `
title: ${title}
target: { command: node services/busy.mjs, ready: /health, database: none, env: { WORK: "${control}", WAIT_MS: "${waitMs}" } }
sweep:
  work:
    live:
      request: { path: /work, body: { thousands: "\${level}" } }
      verify: { path: /work, expect: { thousands: "\${level}" } }
    levels: [${levels.join(', ')}]
control: { work: ${control} }
load: { ${load}, requests: [{ path: / }] }
rounds: { ${rounds} }
`;
}
