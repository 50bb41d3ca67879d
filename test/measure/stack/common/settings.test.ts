import { describe, expect, test } from 'vitest';
import {
  benchSettings,
  blamedSetting,
  mergeSettings,
  settingsBelow,
  settingsFile,
  settingsIn,
  withoutHousekeeping,
} from '../../../../src/measure/stack/common/settings.ts';

describe('mergeSettings', () => {
  test('puts the settings of the user over those of the bench, whatever their case', () => {
    const usual = { ...benchSettings, ...withoutHousekeeping };
    expect(mergeSettings()).toEqual(usual);
    expect(mergeSettings({ Max_Connections: 20 })).toEqual({ ...usual, max_connections: 20 });
  });

  test("leaves housekeeping to Postgres's defaults where it is on, and to the user in both", () => {
    expect(mergeSettings({}, settingsBelow({ housekeeping: true }))).toEqual(benchSettings);
    for (const housekeeping of [true, false])
      expect(mergeSettings({ Autovacuum: 'off' }, settingsBelow({ housekeeping })).autovacuum).toBe('off');
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

  test('is huge_pages where memory cannot be had with these alone', () => {
    const line = 'FATAL:  could not map anonymous shared memory: Cannot allocate memory';
    expect(blamedSetting([line], { huge_pages: 'on' })).toBe('huge_pages');
    expect(blamedSetting([line], settingsIn(settingsFile({ huge_pages: 'on', b: `it's` })))).toBe('huge_pages');
    for (const huge_pages of ['try', 'off', 'of']) expect(blamedSetting([line], { huge_pages })).toBe('shared_buffers');
  });
});
