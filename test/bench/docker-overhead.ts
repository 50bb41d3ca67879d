import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse, stringify } from 'yaml';
import { loadSize } from '../../src/journal/load-level.ts';
import { findDocker, findImage } from '../../src/measure/stack/docker/engine.ts';
import { postgresImage } from '../../src/measure/stack/docker/image.ts';
import type { Goal } from './goal.ts';
import { sweepJson } from './sweep-json.ts';

const ROUNDS = 4;
/** Of the embedded stack's requests/s. */
const LEAST = 0.9;

interface ScenarioFile {
  variants: { Embedded: { postgres: object }; Container: { postgres: object } };
}

/**
 * scenarios/docker-overhead.yaml: the service's requests/s with Postgres in a container against embedded, in one
 * interleaved run. Where an image of this machine's own Postgres is named, it is compared with that.
 */
export async function benchDockerOverhead(): Promise<Goal[]> {
  const name = 'requests/s with a container, of those with embedded Postgres';
  const goal = `>= ${LEAST}`;
  const own = process.env.PGSWEEP_TEST_POSTGRES_IMAGE;
  const engine = await findDocker();
  const image = own ?? postgresImage({ version: '18' });
  const why = 'why' in engine ? engine.why : (await findImage(image)) === null ? `no image ${image} at hand` : null;
  if (why !== null) return [{ name, measured: `skipped: ${why}`, goal, reached: true }];
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-overhead-'));
  try {
    const scenario = parse(readFileSync('scenarios/docker-overhead.yaml', 'utf8')) as ScenarioFile;
    if (own !== undefined) {
      scenario.variants.Embedded.postgres = { stack: 'embedded' };
      scenario.variants.Container.postgres = { stack: 'docker', image: own };
    }
    const file = join(folder, 'docker-overhead.yaml');
    writeFileSync(file, stringify(scenario));
    const { comparisons, session } = sweepJson(file, join(folder, 'run'), '--rounds', String(ROUNDS));
    return comparisons
      .filter(({ metric }) => metric === 'requests_per_s')
      .map(({ load, deltaPercent, interval, verdict }) => {
        const ratio = 1 + (deltaPercent ?? Number.NaN) / 100;
        const range = interval?.map((percent) => (1 + percent / 100).toFixed(2)).join(' to ') ?? 'no interval';
        return {
          name: `${name}, ${loadSize(load)} connections`,
          measured: `${ratio.toFixed(3)} (${range}; ${verdict}, session ${session.verdict})`,
          goal,
          reached: ratio >= LEAST,
        };
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [, main] = process.argv;
if (import.meta.url === pathToFileURL(main ?? '').href) console.log(await benchDockerOverhead());
