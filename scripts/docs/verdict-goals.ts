import { readFileSync } from 'node:fs';
import { markdownTable } from 'markdown-table';

/** What `npm run bench:verdicts` found. README and pages show these numbers, so they are written down once. */
interface VerdictGoals {
  readonly sessions: { readonly oneComparison: number; readonly twentyCells: number };
  readonly goals: readonly Goal[];
}

interface Goal extends Readonly<Record<Noise, Found>> {
  readonly key: string;
  readonly goal: string;
  readonly promised: string;
}

interface Found {
  readonly percent: number;
  /** Mean rounds until the session ended. */
  readonly rounds?: number;
}

type Noise = (typeof noises)[number];
const noises = ['quiet', 'typical', 'rough', 'sharedVm'] as const;
const HEAD = ['goal', 'quiet', 'typical', 'rough', 'shared VM', 'promised'];
const shown = ['falseAlarm', 'anyFalseAlarmOf20', 'falselySame', 'found5'];

const { sessions, goals }: VerdictGoals = JSON.parse(readFileSync('research/verdicts.json', 'utf8'));

/** The table of all goals. */
export function verdictTable(): string {
  return tableOf(goals);
}

/** The goals that matter most to a reader, with how they were measured. */
export function verdictWorth(): string {
  return [
    `The code that judges a journal judged simulated sessions: ${sessions.oneComparison} of one comparison, ${sessions.twentyCells} of 20 cells. Starts differ by 2, 3 and 5 %, with drift and outliers. In brackets: mean rounds.`,
    tableOf(goals.filter(({ key }) => shown.includes(key))),
  ].join('\n\n');
}

/** The same in a sentence. */
export function verdictSentence(): string {
  const { promised, sharedVm } = goalOf('falseAlarm');
  return `In simulated sessions with the noise of a shared VM, pgsweep raised a false alarm in ${percent(sharedVm)} of comparisons (promised: at most ${promised}). It found a difference of 5 % in ${percent(goalOf('found5').sharedVm)}.`;
}

function goalOf(key: string): Goal {
  const found = goals.find((goal) => goal.key === key);
  if (found === undefined) throw new Error(`research/verdicts.json has no goal ${key}`);
  return found;
}

function tableOf(some: readonly Goal[]): string {
  const rows = some.map((goal) => [goal.goal, ...noises.map((noise) => cell(goal[noise])), goal.promised]);
  return markdownTable([HEAD, ...rows], { align: ['l', 'r', 'r', 'r', 'r', 'r'], alignDelimiters: false });
}

function cell(found: Found): string {
  return found.rounds === undefined ? percent(found) : `${percent(found)} (${found.rounds.toFixed(1)})`;
}

/** Few are given to a hundredth, none and all to no digit. */
function percent({ percent: value }: Found): string {
  if (value === 0 || value === 100) return `${value} %`;
  return `${value < 1 ? value : value.toFixed(1)} %`;
}
