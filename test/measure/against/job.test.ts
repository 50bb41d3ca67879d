import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { JobSource } from '../../../src/journal/job-spec.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { areReleases } from '../../../src/judge/verdicts/variant-order.ts';
import { compared } from '../../../src/measure/against/compared.ts';
import { withSides } from '../../../src/measure/against/take-sides.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { type PlantedRepository, plantedRepository } from './planted-repository.ts';

let repository: PlantedRepository;
let reaper: Reaper;

beforeEach(() => {
  repository = plantedRepository();
  vi.stubEnv('XDG_CACHE_HOME', repository.cache);
  reaper = startReaper();
});

afterEach(async () => {
  await reaper.close();
  vi.unstubAllEnvs();
  repository.remove();
});

/** The comparison with HEAD that a scenario in the repository's folder becomes. */
function comparedWithHead(text: string): Promise<ResolvedScenario> {
  const asked = parseScenario(text, join(repository.folder, 'pgsweep.yaml'), { ref: 'HEAD' });
  return withSides(asked, {}, async (taken, make) => {
    await make({ reaper, env: process.env, onProgress: () => {}, signal: undefined });
    return compared(asked, taken);
  });
}

const jobsOf = ({ variants }: ResolvedScenario): JobSource[] => variants.flatMap(({ job }) => job ?? []);
const textsOf = (scenario: ResolvedScenario): string[] =>
  jobsOf(scenario).map((job) => readFileSync(job.kind === 'sql' ? job.file : join(job.cwd, 'import.mjs'), 'utf8'));

const ALONE = 'dataset: { sql: schema.sql }\nload: { job: { sql: db/migrations/2.sql, repeat: 2 } }\n';

describe('a job compared with a commit', () => {
  it('alone needs no service: each side runs its own file on the same data', async () => {
    repository.commit('base', { 'schema.sql': 'a', 'db/migrations/2.sql': 'of main' });
    repository.write({ 'db/migrations/2.sql': 'of the branch' });
    const scenario = await comparedWithHead(ALONE);
    expect(textsOf(scenario)).toEqual(['of main', 'of the branch']);
    expect(scenario.target.kind).toBe('none');
    // No side runs the file of the folder as it is later on.
    expect(scenario.load.job).toEqual({});
    expect(scenario.load.bounded).toMatchObject({ count: 2 });
    // What is compared is no part of a schema that both sides should share.
    expect(scenario.against?.taken?.schemaFiles).toEqual([]);
  });

  it('beside a service is each side’s own, too: its folder, or the file of the control', async () => {
    repository.commit('base', { 'app/server.mjs': '', 'jobs/import.mjs': 'of main' });
    repository.write({ 'jobs/import.mjs': 'of the branch' });
    const target = 'target: { command: node server.mjs, cwd: app }\n';
    const load = 'connections: 2, requests: [{ path: / }]';
    const scenario = await comparedWithHead(
      `${target}load: { job: { command: node import.mjs, cwd: jobs }, ${load} }\n`,
    );
    expect(textsOf(scenario)).toEqual(['of main', 'of the branch']);
    expect(areReleases(scenario)).toBe(true);
    const variants = 'variants: { one: { job: { sql: jobs/import.mjs } } }\ncontrol: one\n';
    const own = await comparedWithHead(`${target}${variants}load: { job: {}, ${load} }\n`);
    expect(textsOf(own)).toEqual(['of main', 'of the branch']);
  });

  it('is the same for all sides where git ignores it', async () => {
    repository.commit('base', { 'app/server.mjs': '', '.gitignore': 'local/\n' });
    repository.write({ 'local/job.sql': 'SELECT 1;' });
    const scenario = await comparedWithHead(
      'target: { command: node server.mjs, cwd: app }\nload: { job: { sql: local/job.sql } }\n',
    );
    const file = join(repository.folder, 'local/job.sql');
    expect(jobsOf(scenario)).toEqual([
      { kind: 'sql', file },
      { kind: 'sql', file },
    ]);
  });

  it('that the commit does not have is a mistake', async () => {
    repository.commit('base', { 'schema.sql': 'a' });
    repository.write({ 'db/migrations/2.sql': 'new' });
    await expect(comparedWithHead(ALONE)).rejects.toMatchObject({
      code: 'scenario',
      message: `HEAD has no ${join(repository.folder, 'db/migrations/2.sql')}, which load.job runs`,
    });
  });
});
