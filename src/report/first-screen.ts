import { asSentence, present } from '../base/present.ts';
import type { StopReason } from '../journal/records.ts';
import { plural, rough } from '../judge/format.ts';
import { isDiscarded, viewOf } from '../judge/judged-view.ts';
import { MIN_ROUNDS } from '../judge/stats/looks.ts';
import type { Summary } from '../judge/summary.ts';
import { changeMatrix } from './tables/change-matrix.ts';
import type { Table } from './tables/table.ts';
import { verdictTable } from './tables/verdict-table.ts';
import { againstLines } from './words/against.ts';
import { branchWork } from './words/branch-answer.ts';
import { gateLines } from './words/gate-words.ts';
import { shortHeadlineOf } from './words/headline.ts';
import { comparedName } from './words/judged.ts';
import { disturbanceLine } from './words/machine.ts';
import { type NextStep, nextSteps } from './words/next-steps.ts';
import { answerOf, cheapestLine } from './words/recommendation.ts';
import { isSearching, searchFacts, searchLine } from './words/search-words.ts';

/** The answer to the question in a bounded number of lines, however large the scenario is. */
export interface FirstScreen {
  readonly title: string;
  /** To be read before anything else; often empty. */
  readonly warnings: readonly string[];
  /** The setting to take, in a sentence or two; null where there is no decision to make. */
  readonly decision: string | null;
  /** A sentence for each load level; of many, for those that tell most. */
  readonly verdicts: readonly string[];
  /** A line for each gate of the command. */
  readonly gates: readonly string[];
  /** Every change by every load level, where that is the question; else null. */
  readonly matrix: Table | null;
  /** Every other change with a verdict, the most telling first; the format cuts it. Null where there is none. */
  readonly table: Table | null;
  /** Length of the run, the effect that it could see, and disturbances of the machine. */
  readonly facts: readonly string[];
  readonly next: readonly NextStep[];
}

/** A line is no longer than this, so that it is no more than three on a narrow terminal. */
const MOST_CHARACTERS = 240;
/** Longest decision, and longest first sentence of a warning. A longer sentence ends after a clause, or between two words. */
const MOST_SENTENCE = 480;
const MOST_WARNINGS = 3;

/** The first screen of a run whose warnings are these. */
export function firstScreenOf(summary: Summary, warnings: readonly string[]): FirstScreen {
  const cut = (text: string): string => cutAtWord(MOST_CHARACTERS, text);
  const isUndecided = isSearching(summary);
  const decision = isUndecided ? searchLine(summary) : answerOf(summary);
  const more = warnings.length - MOST_WARNINGS;
  const matrix = decision !== null && isAboutChanges(summary) ? changeMatrix(summary) : null;
  const besideMatrix = matrix !== null;
  return {
    title: cut(summary.run.title),
    warnings: present([
      ...warnings.slice(0, MOST_WARNINGS).map((text) => wholeSentences(text, MOST_CHARACTERS, MOST_SENTENCE)),
      more > 0 && `${plural(more, 'more warning')} below.`,
    ]),
    decision: decision && wholeSentences(decision, MOST_SENTENCE),
    verdicts: (isUndecided ? [] : present([branchWork(summary), ...shortHeadlineOf(summary, { besideMatrix })])).map(
      (text) => wholeSentences(text, MOST_CHARACTERS),
    ),
    gates: gateLines(summary.gates).map(cut),
    matrix,
    table: verdictTable(summary, { besideMatrix }),
    facts: present([
      ...(isUndecided ? [] : searchFacts(summary)),
      sidesLine(summary),
      factsLine(summary),
      disturbanceLine(summary.session.disturbance),
    ]).map((text) => wholeSentences(text, MOST_CHARACTERS)),
    next: nextSteps(summary).map((step) =>
      step.isPasted ? step : { ...step, text: wholeSentences(step.text, MOST_CHARACTERS) },
    ),
  };
}

function isOpenNow(summary: Summary): boolean {
  const { run, recommendation, capacity } = summary;
  if (capacity !== null) return false;
  if (run.question === 'best') return recommendation.some(({ state }) => state === 'open' || state === 'stuck');
  const open = viewOf(summary).variants.flatMap(({ unclear }) => unclear.filter((one) => !isDiscarded(one)));
  return open.some(({ verdict }) => verdict === 'noise');
}

/** True where there are verdicts by load level and variant to look at. */
function isAboutChanges({ run, capacity }: Summary): boolean {
  return run.question !== 'best' && capacity === null && run.rounds >= MIN_ROUNDS;
}

/** The first sentence, and as many more as fit; if the first alone is too long, as many of its clauses as fit. */
function wholeSentences(text: string, mostCharacters: number, mostOfFirst = mostCharacters): string {
  const [first = '', ...others] = text.split(/(?<=[.!?]) (?=[\p{Lu}\d`])/u);
  let kept = first;
  for (const sentence of others) {
    if (kept.length + 1 + sentence.length > mostCharacters) break;
    kept = `${kept} ${sentence}`;
  }
  return kept.length <= mostOfFirst ? kept : wholeClauses(kept, mostOfFirst);
}

/** As many clauses as fit, and how many more there are; a sentence of one clause ends between two words. */
function wholeClauses(sentence: string, mostCharacters: number): string {
  const clauses = sentence.split('; ');
  for (let kept = clauses.length - 1; kept > 0; kept--) {
    const text = `${clauses.slice(0, kept).join('; ')}; ${clauses.length - kept} more below.`;
    if (text.length <= mostCharacters) return text;
  }
  return cutAtWord(mostCharacters, sentence);
}

function cutAtWord(mostCharacters: number, text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 2).replace(/\s+\S*$/, '')} …`;
}

function sidesLine({ run }: Summary): string | null {
  const lines = againstLines(run);
  return lines.length === 0 ? null : `${asSentence(lines.join(' · '))}.`;
}

function factsLine(summary: Summary): string {
  const { run, session } = summary;
  const seen = session.minimumDetectablePercent;
  const parts = present([
    plural(run.rounds, 'round'),
    run.stopReason && stopWords(run.stopReason, summary),
    `control ${run.control}${run.plannedControl === undefined ? '' : `, planned ${run.plannedControl}`}`,
    cheapestLine(summary),
    seen !== null && `could see effects of about ${rough(seen)} %`,
  ]);
  return `${parts.join(' · ')}.`;
}

/** Why a run stopped. */
export function stopWords(reason: StopReason, summary: Summary): string {
  const { run, capacity, machines } = summary;
  switch (reason) {
    case 'verdicts':
      // Another version of the judge, or another question, may see less in the same rounds.
      if (isOpenNow(summary)) return 'stopped when its question was answered, and judged again it is open';
      if (run.question === 'best') return 'stopped when the setting to take was decided';
      return `stopped when every comparison of ${comparedName({ run, capacity })} was settled`;
    case 'stuck':
      return 'stopped since more rounds would not settle the rest';
    case 'unsettled':
      return 'stopped by its time budget, since what is open needs more than the added time';
    case 'budget':
      return 'stopped by its time budget';
    case 'rounds':
      return machines === undefined
        ? 'stopped at its maximum number of rounds'
        : `from ${plural(machines.machines.length, 'machine')}, by a fixed plan`;
    case 'quick':
      return 'quick run';
  }
}
