import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { roleOfferIn } from '../../src/cli/init/role-offer.ts';
import { startCli } from './cli.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-init-role-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const POLICY = 'CREATE TABLE t (id int); CREATE POLICY own ON t TO reader USING (true);\n';

describe('init offers a role for the service', () => {
  it.each([
    ['that a file makes', 'CREATE ROLE app LOGIN;\nGRANT SELECT ON t TO app;', { role: 'app', isMade: true }],
    [
      'that may log in before others',
      'CREATE ROLE owners; CREATE USER "The App" PASSWORD \'x\';',
      { role: 'The App', isMade: true },
    ],
    [
      'that a file makes where it is missing',
      'DO $$ BEGIN CREATE ROLE app; EXCEPTION WHEN duplicate_object THEN NULL; END $$;',
      { role: 'app', isMade: true, hasPolicies: false },
    ],
    ['that a policy is for', POLICY, { role: 'reader', isMade: false, hasPolicies: true }],
    [
      'by the usual name where policies name none',
      'ALTER TABLE public.t ENABLE ROW LEVEL SECURITY;',
      { role: 'app', isMade: false, hasPolicies: true },
    ],
  ])('%s', (_, text, offer) => {
    expect(roleOfferIn(folderWith({ 'db/schema.sql': text }))).toMatchObject({ ...offer, file: 'db/schema.sql' });
  });

  it.each([
    ['in a comment', `-- ${POLICY}/* CREATE ROLE app; */ CREATE TABLE t (id int);`],
    ['in a text', "INSERT INTO t VALUES ('CREATE ROLE app');"],
    ['in a broken file', "CREATE ROLE app; SELECT 'never closed;"],
  ])('but not for what stands %s', (_, text) => {
    expect(roleOfferIn(folderWith({ 'schema.sql': text }))).toBeNull();
  });

  it.each([[[]], [['--from', resolve('docs/examples/captures/openapi.yaml')]]])(
    'in the file that it writes, and says why: %j',
    async (from) => {
      const cwd = folderWith({ 'server.js': '', 'sql/schema.sql': POLICY });
      mkdirSync(join(cwd, 'bench'));
      const { code, out } = await startCli(['init', 'bench/mine.yaml', ...from], { cwd }).done;
      expect(code).toBe(0);
      expect(out).toContain(
        '\nsql/schema.sql has policies of row-level security, which apply to no superuser: see dataset.role in it\n',
      );
      const text = readFileSync(join(cwd, 'bench/mine.yaml'), 'utf8').replace(/^# (dataset: \{ sql: .*)/m, '$1');
      expect(parse(text).dataset).toEqual({ sql: ['../sql/schema.sql'], role: 'reader' });
    },
  );
});
