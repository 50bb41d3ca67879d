import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

type Files = Readonly<Record<string, string>>;

/** A git repository in a folder of its own, which `remove` removes together with a cache of its own. */
export interface PlantedRepository {
  readonly folder: string;
  /** For XDG_CACHE_HOME. */
  readonly cache: string;
  git(...args: string[]): string;
  write(files: Files): void;
  /** Writes files and commits all; returns the commit. */
  commit(message: string, files?: Files): string;
  remove(): void;
}

export function plantedRepository(): PlantedRepository {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'pgsweep-against-')));
  const [folder, cache] = [join(top, 'items'), join(top, 'cache')];
  mkdirSync(folder);
  const who = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.test', '-c', 'commit.gpgsign=false'];
  const git = (...args: string[]): string =>
    execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const write = (files: Files): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  git('init', '--quiet', '--initial-branch', 'main');
  return {
    folder,
    cache,
    git,
    write,
    commit(message, files = {}) {
      write(files);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

export const SCHEMA = `CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE books (id int PRIMARY KEY, author_id int NOT NULL REFERENCES authors, title text NOT NULL);
INSERT INTO authors SELECT n, 'author ' || n FROM generate_series(1, 100) n;
INSERT INTO books SELECT n, 1 + n % 100, 'book ' || n FROM generate_series(1, 1000) n;
`;

/** A service on Postgres: `extra` runs for each request. It waits some milliseconds before it answers, unless `waitMs` is 0. */
export function bookService(extra = '', waitMs = 3): string {
  return `import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
let x = 1;
const work = (thousands) => {
  for (let i = 0; i < 1000 * thousands; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
};
const server = createServer(async (request, response) => {
  if (request.url !== '/health') {
    const { rows } = await pool.query('SELECT id, author_id, title FROM books WHERE id = $1', [1 + (x & 511)]);
    await pool.query('SELECT count(*) FROM books WHERE author_id = $1', [rows[0].author_id]);
    work(200);
    ${extra}
    ${waitMs > 0 ? `await sleep(${waitMs});` : ''}
  }
  response.end('ok');
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void pool.end();
});
`;
}

/** A query for each request, as a list of rows that loads the author of each. */
export const NEW_QUERY = `await pool.query('SELECT name FROM authors WHERE id = $1', [rows[0].author_id]);`;

/** Gives a repository the packages of this clone, as an install would: git ignores them. */
export function withPackages({ folder, write }: PlantedRepository): void {
  write({ '.gitignore': 'node_modules\n.env\ndist/\n' });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
}

/** Names, modes, times and contents of all files in a folder, .git included; of a link where it leads. */
export function folderState(folder: string): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const found = lstatSync(path);
    hash.update(`${path} ${found.mode} ${found.mtimeMs} `);
    if (found.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (found.isFile()) hash.update(readFileSync(path));
    else for (const name of readdirSync(path).sort()) add(join(path, name));
  };
  add(folder);
  return hash.digest('hex');
}
