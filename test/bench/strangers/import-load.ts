import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Goal } from '../goal.ts';
import { sweepJson } from '../sweep-json.ts';
import { agreement, changesOf, TIMES } from './alone.ts';
import { requestsOf, runSql, schema, withService, withStand, writeService } from './stand.ts';

const LINES = 6000;
const CONNECTIONS = 8;
const indexed = `ALTER TABLE items ADD FOREIGN KEY (maker) REFERENCES makers;
CREATE INDEX ix_items_maker ON items (maker);
CREATE INDEX ix_items_name ON items (name);
`;

/** A file of JSON lines into a service, with and without two indexes and a foreign key, against an importer's own wall clock. */
export async function importCase(folder: string): Promise<Goal[]> {
  writeService(folder, 0);
  const bodies = Array.from({ length: LINES }, (_, n) => JSON.stringify({ maker: 1 + (n % 200), name: `name ${n}` }));
  writeFileSync(join(folder, 'items.ndjson'), `${bodies.join('\n')}\n`);
  const scenario = {
    title: 'An import with and without indexes',
    target: { command: 'node server.mjs' },
    dataset: { sql: 'schema.sql' },
    variants: { Bare: {}, Indexed: { sql: { apply: indexed } } },
    control: 'Bare',
    load: {
      bulk: {
        file: 'items.ndjson',
        path: '/items',
        connections: CONNECTIONS,
        check: { sql: 'SELECT count(*) FROM items' },
      },
    },
    rounds: { min: 6, max: 12, budget: '15m' },
  };
  const file = join(folder, 'import.yaml');
  writeFileSync(file, stringify(scenario));
  const { comparisons, bulk } = sweepJson(file, join(folder, 'run-import'));
  const rate = comparisons.find(({ metric }) => metric === 'requests_per_s');
  const alone = await withStand(schema(0), async (stand) => {
    const rates: Record<'bare' | 'indexed', number[]> = { bare: [], indexed: [] };
    for (let time = 0; time < TIMES; time++) {
      for (const kind of ['bare', 'indexed'] as const) {
        const databaseUrl = await stand.copy();
        if (kind === 'indexed') await runSql(databaseUrl, indexed);
        rates[kind].push(await withService(folder, databaseUrl, (url) => importRate(url, bodies)));
      }
    }
    return rates;
  });
  const whole = bulk.filter(({ notes, check }) => notes.length === 0 && check !== null);
  return [
    agreement({
      name: `documents/s of an import with two indexes and a foreign key`,
      unit: '%',
      estimate: rate?.deltaPercent,
      interval: rate?.interval,
      alone: changesOf(alone.bare, alone.indexed),
    }),
    {
      name: 'arms with no document lost or doubled, by the check',
      measured: `${whole.length} of ${bulk.length}`,
      goal: 'all',
      reached: whole.length === bulk.length && bulk.length > 0,
    },
  ];
}

/** Documents per second of a client that posts all of them once. */
async function importRate(url: string, bodies: readonly string[]): Promise<number> {
  const rest = bodies.values();
  const start = performance.now();
  await requestsOf(url, CONNECTIONS, () => {
    const { value, done } = rest.next();
    return done ? null : { method: 'POST', path: '/items', body: value };
  });
  return (1000 * bodies.length) / (performance.now() - start);
}
