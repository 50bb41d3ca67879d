/**
 * Does anything stay with an arm for a whole session? Sessions of five identical arms under the load levels of the default
 * sweep, and the default sweep itself beside them. What stays is the same in every round, so that no interval over rounds
 * knows it: only the variance between sessions does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../../src/judge/summary.ts';
import { stayingPart } from './arms/components.ts';
import { identicalRun, readSessions } from './arms/read-sessions.ts';
import { isFinished, runSessions, type WantedSessions } from './arms/run-sessions.ts';
import { armsTable, sessionsOf } from './arms/table.ts';
import type { Goal } from './goal.ts';

/** Of the rate, at each load level. */
const MOST = 0.008;
/** In ten sessions. */
const MOST_FALSE = 1;

/** Runs the sessions that the folder lacks, prints what all of them show, and returns the goals. */
export async function benchArms(wanted: WantedSessions): Promise<Goal[]> {
  const defaults = await runSessions(wanted);
  const levels = readSessions(wanted.folder);
  console.log(armsTable(levels));
  for (const name of defaults) console.log(`${name}: ${sessionWords(join(wanted.folder, name))}`);
  const staying = levels.flatMap(({ connections, residues }) => {
    const part = stayingPart(sessionsOf(residues).map(({ rows }) => rows));
    if (part === null) return [];
    return {
      name: `what stays with an arm, ${connections} connections, upper 95 % bound`,
      measured: `${(100 * part.upper).toFixed(2)} % (F ${part.f.toFixed(2)}, p ${part.p.toFixed(3)})`,
      goal: `<= ${100 * MOST} %`,
      reached: part.upper <= MOST,
    };
  });
  return [...staying, ...verdictGoals(wanted.folder)];
}

/** Between identical arms every `higher` or `lower` is false. */
function verdictGoals(folder: string): Goal[] {
  const ended = readdirSync(folder).filter((name) => identicalRun.test(name) && isFinished(join(folder, name)));
  if (ended.length === 0) return [];
  const found = ended.map((name) => {
    const { session, comparisons } = summaryOf(join(folder, name));
    const told = comparisons.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
    for (const { metric, variant, load, deltaPercent } of told)
      console.log(`${name}: ${metric} of ${variant} at ${JSON.stringify(load)} is told to differ by ${deltaPercent} %`);
    const isRate = ({ metric }: { readonly metric: string }): boolean => metric === 'requests_per_s';
    return { isAnswered: session.verdict === 'fit', told: told.filter(isRate).length };
  });
  const rates = found.reduce((sum, { told }) => sum + told, 0);
  const unanswered = found.filter(({ isAnswered }) => !isAnswered).length;
  return [
    {
      name: `false verdicts of 2xx/s in ${found.length} sessions of identical arms`,
      measured: String(rates),
      goal: `<= ${MOST_FALSE}`,
      reached: rates <= MOST_FALSE,
    },
    { name: 'sessions without an answer', measured: String(unanswered), goal: '0', reached: unanswered === 0 },
  ];
}

function summaryOf(folder: string): Summary {
  return JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'));
}

function sessionWords(folder: string): string {
  const { session } = summaryOf(folder);
  return [session.verdict, ...session.reasons.map((reason) => JSON.stringify(reason))].join(', ');
}
