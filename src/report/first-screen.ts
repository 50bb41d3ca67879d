import { present } from '../base/present.ts';
import type { StopReason } from '../journal/records.ts';
import { plural, rough } from '../judge/format.ts';
import type { Summary } from '../judge/summary.ts';
import type { Table } from './tables/table.ts';
import { verdictTable } from './tables/verdict-table.ts';
import { gateLines } from './words/gate-words.ts';
import { shortHeadlineOf } from './words/headline.ts';
import { comparedName } from './words/judged.ts';
import { disturbanceLine } from './words/machine.ts';
import { type NextStep, nextSteps } from './words/next-steps.ts';
import { cheapestLine, decisionOf } from './words/recommendation.ts';

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
  /** Every change with a verdict, the most telling first: who draws it cuts it. Null where there is none. */
  readonly table: Table | null;
  /** Length of the run, the effect that it could see, and disturbances of the machine. */
  readonly facts: readonly string[];
  readonly next: readonly NextStep[];
}

/** A line is no longer than this, so that it is no more than three on a narrow terminal. */
const MOST_CHARACTERS = 240;
/** A decision is no longer than this; and a sentence that names a lot of variants ends there, between two words. */
const MOST_SENTENCE = 480;
const MOST_WARNINGS = 3;

/** The first screen of a run whose warnings are these. */
export function firstScreenOf(summary: Summary, warnings: readonly string[]): FirstScreen {
  const cut = (text: string): string => cutAtWord(MOST_CHARACTERS, text);
  const decision = decisionOf(summary);
  const more = warnings.length - MOST_WARNINGS;

  return {
    title: cut(summary.run.title),
    warnings: present([
      ...warnings.slice(0, MOST_WARNINGS).map((text) => wholeSentences(text, MOST_CHARACTERS)),
      more > 0 && `${plural(more, 'more warning')} below.`,
    ]),
    decision: decision && wholeSentences(decision, MOST_SENTENCE),
    verdicts: shortHeadlineOf(summary).map(cut),
    gates: gateLines(summary.gates).map(cut),
    table: verdictTable(summary),
    facts: present([factsLine(summary), disturbanceLine(summary.session.disturbance)]).map(cut),
    next: nextSteps(summary).map(({ text, command }) => ({ text: cut(text), command })),
  };
}

/** As many sentences as are no longer than this together, and the first one anyway. */
function wholeSentences(text: string, mostCharacters: number): string {
  const [first = '', ...others] = text.split(/(?<=[.!?]) (?=[\p{Lu}\d`])/u);
  let kept = first;
  for (const sentence of others) {
    if (kept.length + 1 + sentence.length > mostCharacters) break;
    kept = `${kept} ${sentence}`;
  }
  return cutAtWord(MOST_SENTENCE, kept);
}

function cutAtWord(mostCharacters: number, text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters - 2).replace(/\s+\S*$/, '')} …`;
}

function factsLine(summary: Summary): string {
  const { run, session } = summary;
  const seen = session.minimumDetectablePercent;
  const parts = present([
    plural(run.rounds, 'round'),
    run.stopReason && stopWords(run.stopReason, summary),
    `control ${run.control}`,
    cheapestLine(summary),
    seen !== null && `could see effects of about ${rough(seen)} %`,
  ]);
  return `${parts.join(' · ')}.`;
}

/** Why a run stopped. */
export function stopWords(
  reason: StopReason,
  { run, capacity, machines }: Pick<Summary, 'run' | 'capacity' | 'machines'>,
): string {
  switch (reason) {
    case 'verdicts':
      if (run.question === 'best') return 'stopped when the setting to take was decided';
      return `stopped when every comparison of ${comparedName({ run, capacity })} was settled`;
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
