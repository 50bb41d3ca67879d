import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPgBouncer, requireFeatures } from '../../../../src/measure/link/pooler/program.ts';

/** A folder with a program that says this much of its version. */
function folderWith(says: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'pgbouncer'), `#!/bin/sh\necho '${says}'\n`);
  chmodSync(join(folder, 'pgbouncer'), 0o755);
  return folder;
}

describe('PgBouncer', () => {
  it('is that of PATH, or the one that is named', async () => {
    const [first, second] = [folderWith('PgBouncer 1.18.0'), folderWith('PgBouncer 1.24.1')];
    const PATH = `${first}:${process.env.PATH}`;
    expect(await findPgBouncer({ PATH })).toEqual({ program: join(first, 'pgbouncer'), version: '1.18.0' });
    const named = join(second, 'pgbouncer');
    expect(await findPgBouncer({ PATH, PGBOUNCER_BIN: named })).toEqual({ program: named, version: '1.24.1' });
  });

  it('that cannot be run, or is something else, is one error that says what to install', async () => {
    for (const PGBOUNCER_BIN of ['/nowhere/pgbouncer', join(folderWith('hello'), 'pgbouncer')])
      await expect(findPgBouncer({ PATH: process.env.PATH, PGBOUNCER_BIN })).rejects.toMatchObject({
        code: 'stack',
        message: expect.stringContaining(`${PGBOUNCER_BIN} --version failed`),
        hint: expect.stringContaining('apt-get install pgbouncer'),
      });
  });

  it('keeps prepared statements from 1.21 on', () => {
    const spec = { kind: 'pgbouncer', mode: 'transaction', size: 5, settings: {} } as const;
    const requires = (version: string, maxPreparedStatements: number) => () =>
      requireFeatures({ program: 'x', version }, { ...spec, maxPreparedStatements });
    expect(requires('1.18.0', 100)).toThrow('PgBouncer is 1.18.0, and maxPreparedStatements needs 1.21 or later');
    expect(requires('1.9.0', 100)).toThrow();
    for (const version of ['1.21.0', '1.24.1', '2.0.0']) expect(requires(version, 100)).not.toThrow();
    expect(requires('1.18.0', 0)).not.toThrow();
  });
});
