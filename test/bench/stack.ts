import { startReaper } from '../../src/base/process/reaper.ts';
import { copyDatabase, createDatabase, dropDatabase, sealTemplate } from '../../src/measure/stack/common/databases.ts';
import type { StartedPostgres } from '../../src/measure/stack/common/postgres.ts';
import { query } from '../../src/measure/stack/common/query.ts';
import { findDocker, findImage } from '../../src/measure/stack/docker/engine.ts';
import { postgresImage } from '../../src/measure/stack/docker/image.ts';
import { chooseStack } from '../../src/measure/stack/stack.ts';
import { startedOnce } from '../support/started-postgres.ts';
import type { Goal } from './goal.ts';

const TRIES = 3;
const DATABASE_BYTES = 500 * 2 ** 20;
/** Of 1 kB rows; measured: 1.14 kB each on disk. */
const ROWS = 470_000;

/** How long it takes to have a Postgres, and to give an arm a fresh copy of a large data set. */
export async function benchStack(): Promise<Goal[]> {
  return [await benchStart('embedded', 1.5), await benchContainer(), await benchReset()];
}

async function benchContainer(): Promise<Goal> {
  const image = process.env.PGSWEEP_TEST_POSTGRES_IMAGE ?? postgresImage();
  const engine = await findDocker();
  const why = 'why' in engine ? engine.why : (await findImage(image)) === null ? `no image ${image} at hand` : null;
  if (why === null) return benchStart('docker', 3, image);
  return { name: 'container from nothing to first query', measured: `skipped: ${why}`, goal: '< 3 s', reached: true };
}

/** The median: one start beside a checkpoint of somebody else is no start of ours. */
async function benchStart(kind: 'embedded' | 'docker', limitS: number, image?: string): Promise<Goal> {
  const times: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await withServer(kind, image, async (_, startedInS) => {
      times.push(startedInS);
    });
  }
  const median = times.sort((a, b) => a - b)[TRIES >> 1] ?? Number.NaN;
  return {
    name: `${kind === 'docker' ? 'container' : 'embedded Postgres'} from nothing to first query`,
    measured: `${median.toFixed(2)} s (median of ${TRIES})`,
    goal: `< ${limitS} s`,
    reached: median < limitS,
  };
}

async function benchReset(): Promise<Goal> {
  const times: number[] = [];
  let bytes = 0;
  await withServer('embedded', undefined, async (postgres) => {
    const template = 'large';
    await createDatabase(postgres, template);
    await query(
      postgres.adminUrl(template),
      `CREATE TABLE large AS SELECT n, repeat(md5(n::text), 32) AS text FROM generate_series(1, ${ROWS}) AS n`,
    );
    const [size] = await query(
      postgres.adminUrl(template),
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    bytes = Number(size?.bytes);
    await sealTemplate(postgres, template);
    await copyDatabase(postgres, { template, name: 'copy' });
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const start = performance.now();
      await dropDatabase(postgres, 'copy');
      await copyDatabase(postgres, { template, name: 'copy' });
      times.push((performance.now() - start) / 1000);
    }
  });
  const median = times.sort((a, b) => a - b)[TRIES >> 1] ?? Number.NaN;
  return {
    name: `reset (drop and copy) of a database of ${Math.round(bytes / 2 ** 20)} MB`,
    measured: `${median.toFixed(2)} s (median of ${TRIES})`,
    goal: '< 2 s, at least 500 MB',
    reached: median < 2 && bytes >= DATABASE_BYTES,
  };
}

async function withServer(
  kind: 'embedded' | 'docker',
  image: string | undefined,
  use: (postgres: StartedPostgres, startedInS: number) => Promise<void>,
): Promise<void> {
  const reaper = startReaper();
  try {
    const start = performance.now();
    const stack = await chooseStack({ kind }, { stack: { postgres: { settings: {} } }, variants: [] });
    const prepared = await stack.preparePostgres({ reaper, ...(image !== undefined && { server: { image } }) });
    const postgres = await startedOnce(prepared);
    await query(postgres.adminUrl(), 'SELECT 1');
    const startedInS = (performance.now() - start) / 1000;
    try {
      await use(postgres, startedInS);
    } finally {
      await postgres.stop();
    }
  } finally {
    await reaper.close();
  }
}
