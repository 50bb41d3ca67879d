import type { RoundValue } from './round-values.ts';

/**
 * The rounds of a run in the format of Go's benchmarks (golang.org/design/14313-benchmark-format), a line for each arm in each
 * round, for `benchstat -col /variant`. Each metric is a unit of its own name, with the direction that is good news. The
 * control's second arm is left out: it would count as further rounds of the first.
 */
export function benchstatText(scenario: string, values: readonly RoundValue[]): string {
  const own = values.filter(({ repeat }) => !repeat);
  const metrics = new Map(own.map(({ metric }) => [metric.name, metric]));
  const units = [...metrics.values()].flatMap(({ name, better }) =>
    better === null ? [] : [`Unit ${name} better=${better}`],
  );
  const lines = new Map<string, string[]>();
  for (const { variant, load, round, metric, value } of own) {
    const name = `Benchmark/variant=${word(variant)}${load === '' ? '' : `/load=${word(load)}`}`;
    const key = `${round} ${name}`;
    const line = lines.get(key) ?? [name, '1'];
    line.push(String(value), metric.name);
    lines.set(key, line);
  }
  return `${[`scenario: ${scenario.replace(/\s+/g, ' ')}`, ...units, ...[...lines.values()].map((line) => line.join(' '))].join('\n')}\n`;
}

/** A slash begins the next part of a name, and a space the numbers. */
function word(text: string): string {
  return text.replace(/[\s/]+/g, '_');
}
