import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { setUpOpenSearch } from '../../../src/measure/stack/embedded/opensearch-set-up.ts';
import { needs } from '../../support/needs.ts';

const maven = await needs('maven');

const cache = mkdtempSync(join(tmpdir(), 'pgsweep-cache-'));
const releases = join(cache, 'pgsweep', 'opensearch');
let reaper: Reaper;
beforeAll(() => {
  reaper = startReaper();
});
afterAll(async () => {
  await reaper.close();
  rmSync(cache, { recursive: true });
});

test('two set-ups from Maven Central at once end with the same complete release', maven.orSkip, async () => {
  const progress: string[] = [];
  const options = {
    version: '2.19.6',
    reaper,
    env: { ...process.env, XDG_CACHE_HOME: cache },
    onProgress: (line: string) => progress.push(line),
    signal: undefined,
  };
  const homes = await Promise.all([setUpOpenSearch(options), setUpOpenSearch(options)]);
  expect(new Set(homes)).toEqual(new Set([join(releases, '2.19.6')]));
  expect(readdirSync(releases)).toEqual(['2.19.6']);
  expect(progress.filter((line) => line.startsWith('fetching OpenSearch 2.19.6'))).toHaveLength(2);
  expect(progress.some((line) => /^OpenSearch 2\.19\.6 is set up/.test(line))).toBe(true);
  const home = homes[0] ?? '';
  expect(readdirSync(join(home, 'modules'))).toEqual(
    expect.arrayContaining(['analysis-common', 'lang-painless', 'reindex']),
  );
  const descriptor = readFileSync(join(home, 'modules/reindex/plugin-descriptor.properties'), 'utf8');
  expect(descriptor).toContain('opensearch.version=2.19.6');
  const before = progress.length;
  await setUpOpenSearch(options);
  expect(progress.length).toBe(before);
});
