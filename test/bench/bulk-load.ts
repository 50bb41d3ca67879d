import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dataOf } from '../../scenarios/services/documents/dataset/data-options.ts';
import { documentsOf } from '../../scenarios/services/documents/dataset/documents-of.ts';
import { createSchema } from '../../scenarios/services/documents/dataset/load.ts';
import type { Document } from '../../scenarios/services/documents/dataset/types.ts';
import { startReaper } from '../../src/base/process/reaper.ts';
import { bulkModule, type SampleData } from '../../src/journal/sample.ts';
import { startLoadGenerator } from '../../src/measure/load/generator-process.ts';
import { checkBulk } from '../../src/measure/run/bulk/check-bulk.ts';
import { createDatabase, dropDatabase } from '../../src/measure/stack/common/databases.ts';
import { startTarget } from '../../src/measure/target/start-target.ts';
import { startEmbeddedPostgres } from '../support/started-postgres.ts';
import type { Goal } from './goal.ts';
import { findPgbench, pgbenchUpserts } from './pgbench-upsert.ts';

const PAIRS = 3;
const CONNECTIONS = 25;
/** Published for this data: 8,300 documents in 94 s on 8 cores. */
const PUBLISHED_PER_S = 88;
/** Ed-Fi's own data; it is no part of this repository. */
const REAL_DATA = '../shared/grand-bend';

/** How fast the built-in service takes a whole data set, against pgbench running the statements of its upserts. */
export async function benchBulkLoad(): Promise<Goal[]> {
  const dataset = datasetToLoad();
  const documents: Document[] = [];
  for await (const document of documentsOf(dataOf(bulkModule(dataset).options))) documents.push(document);
  const pgbench = await findPgbench();
  if (pgbench === null) console.log('bulk load against pgbench: skipped, there is no pgbench beside this Postgres');
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-bench-'));
  const postgres = await startEmbeddedPostgres({ reaper });
  try {
    const world = { reaper, folder, postgres };
    const bulkRates: number[] = [];
    const pgbenchRates: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const measures = [
        async () => bulkRates.push(await withDatabase(world, (url) => bulkRate(world, dataset, url))),
        async () => {
          if (pgbench === null) return;
          const options = { pgbench, documents, clients: CONNECTIONS, transactions: documents.length };
          pgbenchRates.push(await withDatabase(world, (databaseUrl) => pgbenchUpserts({ ...options, databaseUrl })));
        },
      ];
      // ABBA, so that drift is the same for both.
      for (const measure of pair % 2 === 0 ? measures : measures.reverse()) await measure();
    }
    return goalsOf(bulkRates, pgbenchRates, documents.length);
  } finally {
    await postgres.stop();
    await reaper.close();
    rmSync(folder, { recursive: true });
  }
}

function datasetToLoad(): SampleData {
  const folder = resolve(REAL_DATA);
  if (existsSync(folder)) return { kind: 'edfi', folder };
  console.log(`bulk load: there is no ${REAL_DATA}, so a generated template stands in for the real data`);
  return { kind: 'template', template: 'partial-grand-bend', documents: 9126, seed: 1 };
}

interface World {
  readonly reaper: ReturnType<typeof startReaper>;
  readonly folder: string;
  readonly postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
}

async function withDatabase<T>({ postgres }: World, use: (url: string) => Promise<T>): Promise<T> {
  const name = 'pgsweep_bench_bulk';
  await createDatabase(postgres, name);
  try {
    await createSchema(postgres.adminUrl(name));
    return await use(postgres.adminUrl(name));
  } finally {
    await dropDatabase(postgres, name);
  }
}

/** Documents a second of one whole load. Throws where one was lost, doubled or refused. */
async function bulkRate({ reaper, folder }: World, dataset: SampleData, databaseUrl: string): Promise<number> {
  const service = await startTarget({
    // As many as pgbench has.
    target: { kind: 'service', service: 'documents', env: { POOL_MAX: String(CONNECTIONS) } },
    variant: { name: 'Control', factors: {}, env: {} },
    search: null,
    databaseUrl,
    reaper,
    logFile: join(folder, 'service.log'),
  });
  const generator = await startLoadGenerator({ workload: { kind: 'requests', requests: [] }, documents: [] }, reaper);
  try {
    const spec = {
      dataset,
      connections: CONNECTIONS,
      inFlight: CONNECTIONS,
      retries: 5,
      backoffMs: 100,
      update: false,
    };
    const stream = await generator.openBulk({
      url: service.url,
      seed: 1,
      timeoutMs: 30_000,
      failuresFile: join(folder, 'failures.jsonl'),
      labels: {},
      spec,
    });
    await stream.turn(Number.POSITIVE_INFINITY);
    const { bulk } = await stream.close();
    const check = await checkBulk(spec, databaseUrl, bulk);
    if (bulk.loaded !== bulk.documents || check === null || Object.values(check).some((count) => count > 0)) {
      throw new Error(`not all was loaded once: ${JSON.stringify({ ...bulk, byResource: undefined, check })}`);
    }
    return (bulk.loaded * 1000) / bulk.totalMs;
  } finally {
    await generator.stop();
    await service.stop();
  }
}

function goalsOf(bulk: readonly number[], pgbench: readonly number[], documents: number): Goal[] {
  const mean = (rates: readonly number[]): number =>
    Math.exp(rates.reduce((sum, rate) => sum + Math.log(rate), 0) / rates.length);
  const shown = (rates: readonly number[]): string => rates.map((rate) => rate.toFixed(0)).join(' ');
  const rate = mean(bulk);
  const ratio = rate / mean(pgbench);
  return [
    ...(pgbench.length === 0
      ? []
      : [
          {
            name: `bulk load of ${documents} documents, documents/s against pgbench's same statements`,
            measured: `${ratio.toFixed(2)} (${shown(bulk)} against ${shown(pgbench)})`,
            goal: '>= 0.5',
            reached: ratio >= 0.5,
          },
        ]),
    {
      name: 'bulk load, documents/s against what is published for this data',
      measured: `${rate.toFixed(0)} (${(rate / PUBLISHED_PER_S).toFixed(1)} times)`,
      goal: `>= ${10 * PUBLISHED_PER_S} (10 times)`,
      reached: rate >= 10 * PUBLISHED_PER_S,
    },
  ];
}
