import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Summary } from '../../src/judge/summary.ts';
import { notesWords } from '../../src/report/words/note-words.ts';
import type { Goal } from './goal.ts';
import { sweepJson } from './sweep-json.ts';

const BUDGET_MINUTES = 10;
const DOCUMENTS = 9126;
/** Of the report: control, pool 25, five indexes, two lock clauses. */
const ROWS = 9;
const ALIAS_INDEX = 'Remove AliasesTableAliasMeadowlarkIdIndex';

interface ScenarioFile {
  title: string;
  variants: Record<string, unknown>;
  load: { bulk: Record<string, unknown>; reads?: unknown; slice?: unknown };
  rounds: { budget: string };
}

/** The report's nine rows as a bulk scenario: whether it ends within its budget, and what it finds. */
export function benchIndexAndLock(): Goal[] {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-nine-'));
  try {
    const file = join(folder, 'nine-rows.yaml');
    writeFileSync(file, nineRows());
    const start = performance.now();
    const summary = sweepJson(file, join(folder, 'run'));
    const minutes = (performance.now() - start) / 60_000;
    return goalsOf(summary, minutes);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nineRows(): string {
  const scenario = parse(readFileSync('scenarios/index-and-lock.yaml', 'utf8')) as ScenarioFile;
  const { reads: _, slice: __, ...load } = scenario.load;
  return stringify({
    ...scenario,
    variants: Object.fromEntries(Object.entries(scenario.variants).slice(0, ROWS)),
    load: { ...load, bulk: { ...load.bulk, documents: DOCUMENTS } },
    rounds: { budget: `${BUDGET_MINUTES}m` },
  });
}

function goalsOf({ run, session, comparisons, bulk }: Summary, minutes: number): Goal[] {
  const found = comparisons.find(({ variant, metric }) => variant === ALIAS_INDEX && metric === 'requests_per_s');
  const words = found === undefined ? 'not compared' : `${found.deltaPercent} % [${found.interval}] ${found.verdict}`;
  const whole = bulk.filter(({ notes }) => notes.length === 0);
  const fitness = session.verdict === 'fit' ? 'fit' : `unfit: ${notesWords(session.reasons)}`;
  return [
    {
      name: `bulk loads of ${run.variants.length} variants, ${DOCUMENTS} documents each`,
      measured: `${minutes.toFixed(1)} min, ${run.rounds} rounds, ${fitness}`,
      goal: `<= ${BUDGET_MINUTES} min`,
      reached: minutes <= BUDGET_MINUTES,
    },
    {
      name: 'documents/s without the alias-id index',
      measured: words,
      goal: 'lower',
      reached: found?.verdict === 'lower',
    },
    {
      name: 'arms with no document lost or doubled',
      measured: `${whole.length} of ${bulk.length}`,
      goal: 'all',
      reached: whole.length === bulk.length && bulk.length > 0,
    },
  ];
}
