import { z } from 'zod';
import { mean, median, sum } from '../../stats/moments.ts';
import type { MeasuredMetric, ToolResult } from './tool-result.ts';

const second = z.looseObject({ value: z.number() });

const schema = z.looseObject({
  metadata: z.looseObject({ start_time: z.iso.datetime().optional() }).optional(),
  results: z
    .array(
      z.looseObject({
        command: z.string(),
        name: z.string().optional(),
        mean: z.number().optional(),
        median: z.number().optional(),
        user: z.number().optional(),
        system: z.number().optional(),
        times: z.array(z.number()).optional(),
        // Null of a command that a signal ended.
        exit_codes: z.array(z.number().nullable()).optional(),
        measurements: z
          .array(
            z.looseObject({
              time_wall_clock: second,
              time_user: second.optional(),
              time_system: second.optional(),
              exit_code: z.number().nullish(),
            }),
          )
          .optional(),
      }),
    )
    .min(1),
});

type Result = z.infer<typeof schema>['results'][number];

/** True for the result of `hyperfine --export-json`. */
export function isHyperfine(value: object): boolean {
  const results = 'results' in value ? value.results : null;
  return Array.isArray(results) && typeof results[0] === 'object' && results[0] !== null && 'command' in results[0];
}

/**
 * The results of `hyperfine --export-json`, one a command, of version 1 (src/benchmark/benchmark_result.rs) or 2, whose
 * schema_version is 2. Those of a command that failed (`--ignore-failure`) do not count. All times of a command in one file are one run: taken one after the other, they are no rounds.
 */
export function readHyperfine(value: unknown): ToolResult[] {
  const { metadata, results } = schema.parse(value);
  let startMs = metadata?.start_time === undefined ? null : Date.parse(metadata.start_time);
  return results.map((result) => {
    const { metrics, durationMs } = timesOf(result);
    const codes = result.measurements?.map(({ exit_code }) => exit_code) ?? result.exit_codes ?? [];
    const failed = codes.filter((code) => code !== undefined && code !== 0).length;
    const read: ToolResult = {
      name: result.name ?? result.command,
      metrics: failed === 0 ? metrics : metrics.map((metric) => ({ ...metric, value: null })),
      startMs,
      durationMs,
      samples: null,
      failures: codes.length === 0 ? null : { count: failed, among: codes.length, ofCommands: true },
    };
    // Commands are run one after the other.
    if (startMs !== null) startMs += durationMs ?? 0;
    return read;
  });
}

function timesOf(result: Result): { metrics: MeasuredMetric[]; durationMs: number | null } {
  const { measurements } = result;
  const times = measurements?.map(({ time_wall_clock }) => time_wall_clock.value) ?? result.times;
  const meanOf = (values: readonly (number | undefined)[] | undefined): number | undefined => {
    const known = values?.flatMap((one) => one ?? []) ?? [];
    return known.length === 0 ? undefined : mean(known);
  };
  const found: readonly (readonly [string, number | undefined])[] = [
    ['time_mean_s', times === undefined ? result.mean : meanOf(times)],
    ['time_median_s', times === undefined ? result.median : median(times)],
    ['user_s', meanOf(measurements?.map(({ time_user }) => time_user?.value)) ?? result.user],
    ['system_s', meanOf(measurements?.map(({ time_system }) => time_system?.value)) ?? result.system],
  ];
  return {
    metrics: found.flatMap(([name, value]) => (value === undefined ? [] : [{ name, unit: 's', value }])),
    durationMs: times === undefined ? null : 1000 * sum(times),
  };
}
