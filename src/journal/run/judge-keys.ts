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
