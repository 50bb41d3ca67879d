import { describe, expect, test } from 'vitest';
import { benchSettings, blamedSetting, mergeSettings, settingsFile } from '../../../src/stack/common/settings.ts';

describe('mergeSettings', () => {
  test('puts the settings of the user over those of the bench, whatever their case', () => {
    expect(mergeSettings()).toEqual(benchSettings);
    expect(mergeSettings({ Max_Connections: 20 })).toEqual({ ...benchSettings, max_connections: 20 });
  });
});

describe('settingsFile', () => {
  test('quotes what Postgres reads specially', () => {
    expect(settingsFile({ a: true, b: 4, c: `it's \\ here` })).toBe(
      `\n# pgsweep\na = 'true'\nb = '4'\nc = 'it''s \\\\ here'\n`,
    );
  });
});

describe('blamedSetting', () => {
  test.each([
    ['LOG:  unrecognized configuration parameter "foo" in file "x.conf" line 3', 'foo'],
    ['FATAL:  could not access file "nope": No such file or directory', 'shared_preload_libraries'],
    ['FATAL:  could not map anonymous shared memory: Cannot allocate memory', 'shared_buffers'],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', undefined],
  ])('%s', (line, setting) => {
    expect(blamedSetting(['LOG:  starting PostgreSQL', line])).toBe(setting);
  });
});
