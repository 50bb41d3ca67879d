import type { Comparison } from '../analysis/comparison.ts';
import { metrics } from '../analysis/metrics.ts';
import { formatDelta, formatInterval, formatValue, plural } from './format.ts';
import type { Cell, Tone } from './table.ts';

/** What a cell calls a verdict: `unclear` reads as the noise that it is, `invalid` by whose fault it is. */
export function verdictWord({ verdict, note }: Pick<Comparison, 'verdict' | 'note'>): string {
  if (verdict === 'unclear') return 'noise';
  return verdict === 'invalid' && note.includes('session unfit') ? 'unfit' : verdict;
}

/** A comparison in a few words: `-9.6 % [-12.1, -7.0] lower`, `-4.2 % no verdict (1 round)`, `n/a (0 -> 4.01)`. */
export function deltaCell(comparison: Comparison): Cell {
  const { deltaPercent, interval } = comparison;
  if (deltaPercent === null) return { text: withoutPercent(comparison), tone: 'dim' };
  const delta = formatDelta(deltaPercent);
  if (interval === null) return { text: `${delta} ${withoutInterval(comparison)}`, tone: 'dim' };
  return { text: `${delta} ${formatInterval(interval)} ${verdictWord(comparison)}`, tone: toneOf(comparison) };
}

function withoutPercent({ control, value, verdict }: Comparison): string {
  if (control !== 0 || value === null) return 'n/a';
  if (value > 0) return `n/a (0 -> ${formatValue(value)})`;
  return verdict === 'same' ? '0 -> 0 same' : '0 -> 0';
}

function withoutInterval({ rounds, verdict, note }: Comparison): string {
  if (verdict === 'invalid') return verdictWord({ verdict, note });
  // The note says more: `no verdict: 1 round, verdicts need 4`, `no verdict: 0 in 2 of 8 rounds`.
  const why = /^no verdict: ([^,;]*)/.exec(note)?.[1] ?? plural(rounds, 'round');
  return `no verdict (${why})`;
}

function toneOf({ metric, verdict }: Comparison): Tone {
  if (verdict !== 'higher' && verdict !== 'lower') return 'dim';
  const better = metrics.find(({ name }) => name === metric)?.better ?? null;
  if (better === null) return 'dim';
  return better === verdict ? 'good' : 'bad';
}
