import { z } from 'zod';
import { type MeasuredMetric, meanMs, percentileMs, requestsPerSecond, type ToolResult } from './tool-result.ts';

/** A k6 metric's numbers, whichever of its three summaries they are from. */
type Values = Readonly<Record<string, number>>;

const numbers = z.record(z.string(), z.unknown());
const wrapped = z.looseObject({ values: numbers });

/** `handleSummary(data)` and `--summary-export`: metrics by name. */
const byName = z.looseObject({
  metrics: z.record(z.string(), z.union([wrapped, numbers])),
  state: z.looseObject({ testRunDurationMs: z.number() }).optional(),
});

const dateTime = z.iso.datetime({ offset: true });

/** `--new-machine-readable-summary` (internal/lib/summary/machinereadable of k6 1.5 and later). */
const machineReadable = z.looseObject({
  config: z.looseObject({ duration: z.number() }),
  // The first name is that of k6 1, the second that of k6 2.
  metadata: z.union([
    z.looseObject({ generated_at: dateTime }).transform(({ generated_at }) => Date.parse(generated_at)),
    z.looseObject({ generatedAt: dateTime }).transform(({ generatedAt }) => Date.parse(generatedAt)),
  ]),
  results: z.looseObject({ metrics: z.array(z.looseObject({ name: z.string(), values: numbers })) }),
});

/** True for an end-of-test summary of k6. */
export function isK6(value: object): boolean {
  return (
    ('metrics' in value && JSON.stringify(value.metrics).includes('"iteration')) ||
    machineReadable.safeParse(value).success
  );
}

/** The end-of-test summary of k6: of `--summary-export`, of `handleSummary`, or the machine-readable one. */
export function readK6(value: unknown): ToolResult[] {
  const newer = machineReadable.safeParse(value);
  if (newer.success) {
    const { config, metadata: endMs, results } = newer.data;
    const durationMs = 1000 * config.duration;
    const metrics = new Map(results.metrics.map(({ name, values }) => [name, numbersIn(values)]));
    return [resultOf(metrics, durationMs, endMs - durationMs)];
  }
  const { metrics, state } = byName.parse(value);
  const found = Object.entries(metrics).map(([name, metric]) => {
    const values = wrapped.safeParse(metric);
    return [name, numbersIn(values.success ? values.data.values : metric)] as const;
  });
  return [resultOf(new Map(found), state?.testRunDurationMs ?? null, null)];
}

function numbersIn(values: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, one]) => (typeof one === 'number' ? [[key, one]] : [])),
  );
}

function resultOf(
  metrics: ReadonlyMap<string, Values>,
  knownDurationMs: number | null,
  startMs: number | null,
): ToolResult {
  const requests = metrics.get('http_reqs');
  const count = requests?.count ?? null;
  const counted =
    requests?.rate !== undefined && requests.rate > 0 && count !== null ? (1000 * count) / requests.rate : null;
  const durationMs = knownDurationMs ?? counted;
  const failedRate = metrics.get('http_req_failed');
  const failedShare = failedRate?.rate ?? failedRate?.value ?? 0;
  const rate = requests?.rate ?? (count !== null && durationMs !== null ? (1000 * count) / durationMs : null);
  const iterations = metrics.get('iterations');
  const perSecond =
    iterations?.rate ??
    (iterations?.count !== undefined && durationMs !== null ? (1000 * iterations.count) / durationMs : undefined);
  return {
    name: null,
    metrics: [
      ...(rate === null ? [] : [requestsPerSecond(rate * (1 - failedShare))]),
      // The answers that were expected, where k6 separates them.
      ...latencyOf(metrics.get('http_req_duration{expected_response:true}') ?? metrics.get('http_req_duration')),
      ...(perSecond === undefined ? [] : [{ name: 'iterations_per_s', unit: '1/s', value: perSecond }]),
    ],
    startMs,
    durationMs,
    samples: count,
    failures: count === null ? null : { count: Math.round(count * failedShare), among: count },
  };
}

function latencyOf(latency: Values | undefined): MeasuredMetric[] {
  if (latency === undefined) return [];
  const { avg, med } = latency;
  const percentiles = Object.entries(latency).flatMap(([key, value]) => {
    const percent = Number(
      /^p(?:\((\d+(?:\.\d+)?)\)|(\d+(?:\.\d+)?))$/
        .exec(key)
        ?.slice(1)
        .find((digits) => digits !== undefined) ?? Number.NaN,
    );
    return percent > 0 && percent < 100 ? [percentileMs(percent, value)] : [];
  });
  return [
    ...(avg === undefined ? [] : [meanMs(avg)]),
    ...(med === undefined ? [] : [percentileMs(50, med)]),
    ...percentiles.filter(({ name }) => med === undefined || name !== 'latency_p50_ms'),
  ];
}
