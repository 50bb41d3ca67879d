import { describe, expect, it } from 'vitest';
import { lastLines, saidBy } from '../../../src/measure/target/last-lines.ts';

/** An error of node-postgres, as Node.js prints it. */
const printed = [
  'connecting',
  '/app/node_modules/pg-pool/index.js:45',
  '    Error.captureStackTrace(err)',
  '',
  'error: password authentication failed for user "app"',
  ...Array.from({ length: 9 }, (_, at) => `    at call${at} (/app/node_modules/pg/lib/client.js:${at}:1)`),
  '  length: 104,',
  "  severity: 'FATAL',",
  "  code: '28P01',",
  ...'detail hint position internalPosition internalQuery where schema table column dataType constraint'
    .split(' ')
    .map((field) => `  ${field}: undefined,`),
  "  file: 'auth.c',",
  "  line: '326',",
  "  routine: 'auth_failed'",
  '}',
  '',
  'Node.js v22.13.0',
];

describe('the last lines of a service', () => {
  it('are the same after a request that it failed, and nothing where it printed nothing', () => {
    expect(saidBy(printed)).toBe(lastLines(printed).replace('Its', "\nThe service's"));
    expect(saidBy([])).toBe('');
  });

  it('have the error, and no fields without a value', () => {
    const lines = lastLines(printed);
    expect(lines).toContain('password authentication failed for user "app"');
    expect(lines).toContain("code: '28P01'");
    expect(lines).not.toContain('undefined');
    expect(lines).toContain('(6 more calls)');
    expect(lines.split('\n').length).toBeLessThanOrEqual(16);
  });

  it('have the error that stands above them', () => {
    const retries = Array.from({ length: 30 }, (_, at) => `retry ${at}`);
    const lines = lastLines(['TypeError: pool is not a function', ...retries]);
    expect(lines.split('\n').slice(1, 4)).toEqual(['TypeError: pool is not a function', '...', 'retry 17']);
    expect(lines.endsWith('retry 29')).toBe(true);
  });

  it('are the last where none is an error', () => {
    expect(lastLines([])).toBe('It printed nothing.');
    expect(lastLines(Array.from({ length: 20 }, (_, at) => `${at}`)).split('\n')).toEqual([
      'Its last lines:',
      ...Array.from({ length: 15 }, (_, at) => `${at + 5}`),
    ]);
  });
});
