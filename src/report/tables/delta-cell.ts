import { formatChange, formatDelta, formatValue, plural } from '../../judge/format.ts';
import type { ComparisonNote } from '../../judge/notes.ts';
import { namedMetrics } from '../../judge/read/metrics/work-metrics.ts';
import { CAPACITY } from '../../judge/verdicts/capacity/summarize-capacities.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { zerosWords } from '../words/note-words.ts';
import type { Cell, Tone } from './table.ts';

type Delta = Omit<Comparison, 'load' | 'rateInterval'>;

/** A comparison in a few words: `-9.6 % [-12.1, -7.0] lower`, `-4.2 % no verdict (1 round)`, `n/a (0 -> 4.01)`; `n/a` without one. */
export function deltaCell(comparison: Delta | undefined): Cell {
  if (comparison === undefined) return { text: 'n/a' };
  const { deltaPercent, interval, verdict } = comparison;
  if (deltaPercent === null) {
    const said = { text: withoutPercent(comparison), tone: toneOf(comparison) };
    return isMissing(comparison) ? { ...said, quiet: 'missing' } : said;
  }
  if (interval === null) return { text: `${formatDelta(deltaPercent)} ${withoutInterval(comparison)}`, tone: 'dim' };
  const said = { text: `${formatChange(deltaPercent, interval)} ${verdict}`, tone: toneOf(comparison) };
  return verdict === 'noise' ? { ...said, quiet: 'noise' } : said;
}

/** No number, for a reason in a note. */
function isMissing({ control, value, notes }: Delta): boolean {
  return (control !== 0 || value === null) && notes.length > 0;
}

/** Text in place of a percentage. */
export function withoutPercent({ control, value, verdict }: Delta): string {
  if (control !== 0 || value === null) return 'n/a';
  if (value > 0) return verdict === 'higher' ? `0 -> ${formatValue(value)} higher` : `n/a (0 -> ${formatValue(value)})`;
  return verdict === 'same' ? '0 -> 0 same' : '0 -> 0';
}

function withoutInterval({ rounds, verdict, notes }: Delta): string {
  // None of it in any round, where the control always has some: there is no ratio, and no doubt.
  if (verdict === 'unfit' || verdict === 'lower') return verdict;
  const [why] = notes.flatMap(reasonIn);
  return `no verdict (${why ?? plural(rounds, 'round')})`;
}

function reasonIn(note: ComparisonNote): string[] {
  if (note.kind === 'zeros') return [zerosWords(note)];
  if (note.kind === 'rare') return ['rare'];
  if (note.kind === 'follows-time') return ['depends on time'];
  return note.kind === 'idle-unknown' ? ['idle unknown'] : [];
}

/** Good or bad news, by the metric. */
export function toneOf({ metric, verdict }: Pick<Delta, 'metric' | 'verdict'>): Tone {
  if (verdict !== 'higher' && verdict !== 'lower') return 'dim';
  const better = metric === CAPACITY ? 'higher' : (namedMetrics.find(({ name }) => name === metric)?.better ?? null);
  if (better === null) return 'dim';
  return better === verdict ? 'good' : 'bad';
}
