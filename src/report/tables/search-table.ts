import { formatChange, formatCount } from '../../judge/format.ts';
import type { SearchSummary, Trial } from '../../judge/tune/summarize-search.ts';
import { beyondWords } from '../words/search-words.ts';
import { shortName } from '../words/short-name.ts';
import { left, right, type Table, textCells, weights } from './table.ts';

/** A name is no longer than this. */
const MOST_CHARACTERS = 60;

/** The settings that a search tried; null where the run named its variants. */
export function searchTable(search: SearchSummary | undefined): Table | null {
  if (search === undefined || search.trials.length === 0) return null;
  const variants = search.trials.map(({ variant }) => variant);
  const nameOf = ({ variant }: Trial): string => shortName(variant, { variants, control: '' }, MOST_CHARACTERS);
  return {
    title: 'Settings that the search tried',
    columns: [left('setting'), right('rounds'), right('by its model'), left('')],
    weight: weights.work,
    rows: search.trials.map((trial) =>
      textCells([nameOf(trial), formatCount(trial.rounds), changeWords(trial), noteOf(trial, search)]),
    ),
    notes: [
      ...search.curves.flatMap(({ factor, beyond }) =>
        beyond ? [`${beyondWords({ name: factor, beyond }).slice(2)}.`] : [],
      ),
      'The model is a smooth curve through all rounds of the search, with the range that it gives 95 %. It chose what to try next, and is no verdict: the best of many lucky numbers is too good.',
    ],
  };
}

function changeWords({ change }: Trial): string {
  return change === undefined ? 'n/a' : `${formatChange(change.percent, change.range)}`;
}

function noteOf({ variant, refused, breaks }: Trial, { confirmed }: SearchSummary): string {
  if (refused !== undefined) return `refused: ${refused}`;
  if (breaks) return 'breaks a limit';
  return confirmed?.some((one) => one.variant === variant) ? 'confirmed in fresh rounds' : '';
}
