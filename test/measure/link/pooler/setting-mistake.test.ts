import { expect, it } from 'vitest';
import { settingMistake } from '../../../../src/measure/link/pooler/setting-mistake.ts';

/** What PgBouncer 1.18 writes into its log. */
const unknown = (name: string): string[] => [
  `2026-11-29 20:00:03.256 UTC [24969] ERROR unknown parameter: pgbouncer/${name}`,
  `2026-11-29 20:00:03.256 UTC [24969] ERROR invalid value "5" for parameter ${name} in configuration (/x/a.ini:10)`,
  '2026-11-29 20:00:03.256 UTC [24969] FATAL cannot load config file',
];

it('a setting that PgBouncer does not have is named as it stands in the scenario, with the nearest one', () => {
  expect(settingMistake(unknown('server_idle_timeot'), '1.18.0')).toEqual({
    setting: 'server_idle_timeot',
    advice: 'Correct or remove server_idle_timeot in pooler.pgbouncer.settings: did you mean server_idle_timeout?',
  });
  expect(settingMistake(unknown('qqqqqqqqqqqqqqqq'), '1.18.0')?.advice).toBe(
    'Correct or remove qqqqqqqqqqqqqqqq in pooler.pgbouncer.settings.',
  );
  expect(settingMistake(unknown('transaction_timeout'), '1.18.0')?.advice).toBe(
    'Remove transaction_timeout from pooler.pgbouncer.settings: PgBouncer 1.18.0 does not have it.',
  );
});

it('a value that PgBouncer does not take is one of the scenario, too', () => {
  const lines = [
    '2026-11-29 20:00:03.306 UTC [24976] ERROR invalid value "abc" for parameter server_idle_timeout in configuration (/x/a.ini:10)',
    '2026-11-29 20:00:03.306 UTC [24976] FATAL cannot load config file',
  ];
  expect(settingMistake(lines, '1.18.0')).toEqual({
    setting: 'server_idle_timeout',
    advice: 'Correct the value of server_idle_timeout in pooler.pgbouncer.settings.',
  });
  expect(settingMistake(['FATAL out of memory'], '1.18.0')).toBeNull();
});
