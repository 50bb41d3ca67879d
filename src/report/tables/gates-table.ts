import { loadLabel } from '../../journal/load-level.ts';
import type { GateResult } from '../../judge/verdicts/gates.ts';
import { foundWords, whyWords, withoutPass } from '../words/gate-words.ts';
import { left, type Table, weights } from './table.ts';

/** The changes and decisions that keep gates from passing; null where all pass, and without gates. */
export function gatesTable(results: readonly GateResult[]): Table | null {
  const found = withoutPass(results);
  if (found.length === 0) return null;
  return {
    title: 'What keeps gates from passing',
    columns: ['gate', 'variant', 'load', 'found', 'outcome', 'why'].map(left),
    weight: weights.answer,
    rows: found.map((result) => [
      { text: result.gate },
      { text: result.variant },
      { text: loadLabel(result.load) },
      { text: foundWords(result) },
      { text: result.outcome, tone: result.failed ? 'bad' : 'dim' },
      { text: whyWords(result) },
    ]),
    notes: [
      'A gate fails where the whole interval is beyond its limit, passes where all of it is within, else it is unclear. ' +
        'A gate fails by an end of the interval that holds for all comparisons of the metric at once, and passes by an end that holds by itself.',
    ],
  };
}
