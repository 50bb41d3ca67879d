import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rememberSecret } from '../../../../src/base/secrets.ts';
import { openFailures } from '../../../../src/measure/load/bulk/failures.ts';

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
