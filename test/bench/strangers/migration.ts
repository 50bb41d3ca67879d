import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Goal } from '../goal.ts';
import { sweepJson } from '../sweep-json.ts';
import { agreement, TIMES } from './alone.ts';
import { requestsOf, runSql, schema, type Wait, withService, withStand, writeService } from './stand.ts';

const ITEMS = 1_500_000;
const CONNECTIONS = 8;
/** Load before the migration, in ms. */
const LEAD_MS = 2000;

const constraint = "CHECK (length(name) > 3 AND name ~ '^[0-9a-f]+$')";
const migrations = {
  plain: `ALTER TABLE items ADD CONSTRAINT named ${constraint};\n`,
  'in two steps': `ALTER TABLE items ADD CONSTRAINT named ${constraint} NOT VALID;\nALTER TABLE items VALIDATE CONSTRAINT named;\n`,
} as const;

/** A constraint that is added at once, and validated later, beside a service under load, against a client's own log of its waits. */
export async function migrationCase(folder: string): Promise<Goal[]> {
  writeService(folder, ITEMS);
  const variants = Object.fromEntries(
    Object.entries(migrations).map(([name, sql], i) => {
      writeFileSync(join(folder, `migration-${i}.sql`), sql);
      return [name, { job: { sql: `migration-${i}.sql` } }];
    }),
  );
  const scenario = {
    title: 'A constraint beside load',
    target: { command: 'node server.mjs' },
    dataset: { sql: 'schema.sql' },
    variants,
    control: 'plain',
    load: { job: {}, connections: CONNECTIONS, requests: [{ path: '/items' }] },
    rounds: { min: 6, max: 8, budget: '30m' },
  };
  const file = join(folder, 'migration.yaml');
  writeFileSync(file, stringify(scenario));
  const { beside = [], comparisons } = sweepJson(file, join(folder, 'run-migration'));
  const logs = await withStand(schema(ITEMS), async (stand) => {
    const found: Record<string, Logged[]> = {};
    for (let time = 0; time < TIMES; time++) {
      for (const [name, sql] of Object.entries(migrations)) {
        const databaseUrl = await stand.copy();
        const logged = await withService(folder, databaseUrl, (url) => logOf(url, databaseUrl, sql));
        found[name] = [...(found[name] ?? []), logged];
      }
    }
    return found;
  });
  const waits = Object.entries(logs).map(([name, own]) => {
    const longest = beside.find(({ variant, metric }) => variant === name && metric === 'longest_wait_ms');
    return agreement({
      name: `longest wait beside the migration ${name}`,
      unit: 'ms',
      estimate: longest?.value,
      interval: longest?.valueInterval,
      alone: own.map(({ longestMs }) => longestMs),
    });
  });
  const verdict = comparisons.find(
    ({ variant, metric }) => variant === 'in two steps' && metric === 'longest_wait_ms',
  )?.verdict;
  return [
    ...waits,
    {
      name: 'longest wait in two steps, against plain',
      measured: String(verdict),
      goal: 'lower',
      reached: verdict === 'lower',
    },
  ];
}

interface Logged {
  readonly longestMs: number;
}

/** The longest wait of a request that was under way while the migration ran, by a client's own log. */
async function logOf(url: string, databaseUrl: string, sql: string): Promise<Logged> {
  let isOver = false;
  const sending = requestsOf(url, CONNECTIONS, () => (isOver ? null : { method: 'GET', path: '/items' }));
  await sleep(LEAD_MS);
  const fromMs = performance.now();
  await runSql(databaseUrl, sql);
  const toMs = performance.now();
  isOver = true;
  const waits = await sending;
  const during = waits.filter((wait: Wait) => wait.toMs >= fromMs && wait.fromMs < toMs);
  return { longestMs: Math.max(...during.map((wait) => wait.toMs - wait.fromMs)) };
}
