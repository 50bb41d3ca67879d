import { expect, test } from 'vitest';
import { startReaper } from '../../../../src/base/process/reaper.ts';
import type { PostgresOptions } from '../../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { mergeSettings } from '../../../../src/measure/stack/common/settings.ts';
import { findNpmBinaries } from '../../../../src/measure/stack/embedded/npm-binaries.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

test('stands before the libraries of the settings, each once', () => {
  const preloaded = (own: string, preload: readonly string[]): unknown =>
    mergeSettings({ Shared_Preload_Libraries: own }, {}, preload).shared_preload_libraries;
  expect(preloaded('auto_explain, pg_stat_statements', ['pg_stat_statements'])).toBe('pg_stat_statements,auto_explain');
  expect(preloaded('auto_explain', [])).toBe('auto_explain');
  expect(mergeSettings({}, {}, [])).not.toHaveProperty('shared_preload_libraries');
});

test('pg_stat_monitor normalizes texts, unless the settings say otherwise', () => {
  const name = 'pg_stat_monitor.pgsm_normalized_query';
  const library = { shared_preload_libraries: 'auto_explain, pg_stat_monitor' };
  expect(mergeSettings(library, {})).toMatchObject({ [name]: true });
  expect(mergeSettings({ ...library, [name]: 'off' }, {})).toMatchObject({ [name]: 'off' });
  expect(mergeSettings({}, {}, ['pg_stat_statements'])).not.toHaveProperty([name]);
});

const npm = findNpmBinaries(process.platform, process.arch);
test.each([{}, 'binaries' in npm ? { binaries: npm.binaries } : {}])(
  'is loaded with its extension where the server has it, and left out where not',
  async (options: Partial<PostgresOptions>) => {
    const reaper = startReaper();
    const progress: string[] = [];
    const onProgress = (message: string): void => void progress.push(message);
    const preload = ['pg_stat_statements', 'auto_explain', 'no_such_library'];
    await using server = await startEmbeddedPostgres({ ...options, reaper, preload, onProgress });
    expect(progress).toContain('this Postgres has no no_such_library: its values will be missing');
    expect(await query(server.adminUrl(), 'SHOW shared_preload_libraries')).toEqual([
      { shared_preload_libraries: 'pg_stat_statements,auto_explain' },
    ]);
    expect(await query(server.adminUrl(), 'SELECT count(*) > 0 AS counted FROM pg_stat_statements')).toEqual([
      { counted: true },
    ]);
    await server.stop();
    await reaper.close();
  },
);
