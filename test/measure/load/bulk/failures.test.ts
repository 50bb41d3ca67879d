import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rememberSecret } from '../../../../src/base/secrets.ts';
import { dropFailures, openFailures } from '../../../../src/measure/load/bulk/failures.ts';

it('what a service says of a document that it refuses is kept without known secrets', () => {
  rememberSecret('secret-of-the-service');
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-failures-'));
  const failuresFile = join(folder, 'failures.jsonl');
  const failures = openFailures({ failuresFile, labels: { round: 1, variant: 'a' } });
  failures.add({
    resource: 'schools',
    identity: { id: 'secret-of-the-service' },
    status: 500,
    message: 'no login with secret-of-the-service',
    attempts: 2,
  });
  failures.close();
  const [line = ''] = readFileSync(failuresFile, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  expect(JSON.parse(line)).toEqual({
    round: 1,
    variant: 'a',
    resource: 'schools',
    identity: { id: '***' },
    status: 500,
    message: 'no login with ***',
    attempts: 2,
  });
});

it('a round that is made again has none of its lines before, nor what a kill has cut off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-failures-'));
  const failuresFile = join(folder, 'failures.jsonl');
  dropFailures(failuresFile, 1);
  expect(existsSync(failuresFile)).toBe(false);
  for (const round of [1, 9, 10, 10, 11]) {
    const failures = openFailures({ failuresFile, labels: { round, arm: 'a' } });
    failures.add({ resource: 'schools', identity: { name: 'Zürich' }, status: 500, message: '', attempts: 1 });
    failures.close();
  }
  const rounds = (): number[] =>
    readFileSync(failuresFile, 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line).round]));
  dropFailures(failuresFile, 12);
  expect(rounds()).toEqual([1, 9, 10, 10, 11]);
  dropFailures(failuresFile, 10);
  expect(rounds()).toEqual([1, 9]);
  appendFileSync(failuresFile, '{"rou');
  dropFailures(failuresFile, 10);
  expect(rounds()).toEqual([1, 9]);
  dropFailures(failuresFile, 1);
  expect(rounds()).toEqual([]);
  rmSync(folder, { recursive: true });
});
