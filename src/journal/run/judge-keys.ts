/** Metrics that a scenario may name as the judged one. */
export const judgeKeys = [
  'mean_ms',
  'p50_ms',
  'p95_ms',
  'p99_ms',
  'p99.9_ms',
  'service_cpu',
  'postgres_cpu',
  'wal_bytes',
] as const;

export type JudgeKey = (typeof judgeKeys)[number];

/** Within how many percent a change is the same, unless a scenario says so: work per request hardly varies. */
export const defaultMargins = { work: 1, others: 5 } as const;

const ofWork: ReadonlySet<JudgeKey> = new Set(['service_cpu', 'postgres_cpu', 'wal_bytes']);

/** The default margin of the judged metric; undefined is one that the kind of load says. */
export function defaultMarginOf(judge: JudgeKey | undefined): number {
  return judge !== undefined && ofWork.has(judge) ? defaultMargins.work : defaultMargins.others;
}
