import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { likelyOverrider } from '../../../../src/measure/run/reach/overrider.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('what leads a service to another Postgres', () => {
  const blamed = (
    files: Readonly<Record<string, string>>,
    more: { command?: string; other?: string | number } = {},
  ) => {
    const cwd = mkdtempSync(join(tmpdir(), 'pgsweep-overrider-'));
    folders.push(cwd);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    const { command = 'npm start', other = 5433 } = more;
    const at = typeof other === 'string' ? other : { host: '127.0.0.1', port: other };
    return likelyOverrider({ cwd, command, variable: 'DATABASE_URL', other: at }).replaceAll(cwd, '.');
  };

  it('is a line of a dotenv file, in its folder or beside its program, and never its secret', () => {
    const url = 'postgres://me:geheim@localhost:5433/dev';
    expect(blamed({ '.env': `# ours\nexport DATABASE_URL="${url}"\n` })).toMatch(
      /^Line 2 of \.\/\.env sets DATABASE_URL: /,
    );
    expect(blamed({ '.env.local': `LEVEL=1\r\nDB_PORT=5433\r\n` })).toMatch(
      /^Line 2 of \.\/\.env\.local sets DB_PORT: /,
    );
    expect(blamed({ 'api/.env': `PG=${url}` }, { command: 'node api/server.js' })).toMatch(
      /^Line 1 of \.\/api\/\.env sets PG: /,
    );
    expect(blamed({ '.env': `DATABASE_URL=${url}` })).not.toContain('geheim');
    // The line that names the server is before one that only has the variable.
    expect(blamed({ '.env': `DATABASE_URL=\${REAL}\nREAL=${url}` })).toMatch(/^Line 2 /);
    // An example is not read by anything.
    expect(blamed({ '.env.example': `DATABASE_URL=${url}` })).toMatch(/^Look for what sets it/);
  });

  it('is a config file that names it', () => {
    expect(blamed({ 'config/default.json': '{ "db": { "port": 5433 } }' })).toMatch(
      /^\.\/config\/default\.json names it/,
    );
    expect(blamed({ 'knexfile.js': 'export default { port: 5433 }' })).toMatch(/^\.\/knexfile\.js names it/);
    expect(blamed({ 'config/default.json': '{ "port": 54330 }' })).toMatch(/^Look for what sets it/);
  });

  it('is the default of a client, where the address is that', () => {
    expect(blamed({}, { other: 5432 })).toMatch(/^That is where pg and most ORMs connect by default/);
    expect(blamed({}, { other: '/var/run/postgresql/.s.PGSQL.5432' })).toMatch(/^That is where pg and most ORMs/);
    expect(blamed({})).toMatch(/^Look for what sets it/);
  });
});
