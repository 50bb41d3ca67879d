/**
 * Does anything stay with an arm for a whole session? Sessions of five identical arms under the load levels of the default
 * sweep, and the default sweep itself beside them. What stays is the same in every round, so that no interval over rounds
 * knows it: only the variance between sessions does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../../src/judge/summary.ts';
import { stayingPart } from './arms/components.ts';
import { readSessions } from './arms/read-sessions.ts';
import { runSessions, type WantedSessions } from './arms/run-sessions.ts';
import { armsTable, sessionsOf } from './arms/table.ts';
import type { Goal } from './goal.ts';

/** Of the rate, at each load level. */
const MOST = 0.008;

/** Runs the sessions that the folder lacks, prints what all of them show, and returns the goals. */
export async function benchArms(wanted: WantedSessions): Promise<Goal[]> {
  const defaults = await runSessions(wanted);
  const levels = readSessions(wanted.folder);
  console.log(armsTable(levels));
  for (const name of defaults) console.log(`${name}: ${sessionWords(join(wanted.folder, name))}`);
  return levels.flatMap(({ connections, residues }) => {
    const part = stayingPart(sessionsOf(residues).map(({ rows }) => rows));
    if (part === null) return [];
    return {
      name: `what stays with an arm, ${connections} connections, upper 95 % bound`,
      measured: `${(100 * part.upper).toFixed(2)} % (F ${part.f.toFixed(2)}, p ${part.p.toFixed(3)})`,
      goal: `<= ${100 * MOST} %`,
      reached: part.upper <= MOST,
    };
  });
}

function sessionWords(folder: string): string {
  const { session } = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Summary;
  return [session.verdict, ...session.reasons.map((reason) => JSON.stringify(reason))].join(', ');
}
