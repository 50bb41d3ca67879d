// Starts a MariaDB of this machine with data of its own on a free port of 127.0.0.1, runs a command with MARIADB_URL, and
// takes all of it away again:
//
//   node with-mariadb.mjs npm run sweep -- scenarios/two-databases.yaml
//
// Without a command it prints the URL and stays until it is ended by SIGTERM or Ctrl-C. mariadbd is that of the PATH or of
// /usr/sbin, or with MARIADB_ROOT that of a folder into which a package was unpacked (usr/sbin, usr/share/mysql). As root it
// runs as nobody.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';

const READY_MS = 30_000;
const root = process.env.MARIADB_ROOT ?? '/';
const share = join(root, 'usr/share/mysql');
const isRoot = process.getuid?.() === 0;

function findServer() {
  const folders = [join(root, 'usr/sbin'), ...(process.env.MARIADB_ROOT ? [] : process.env.PATH.split(delimiter))];
  const found = folders.map((folder) => join(folder, 'mariadbd')).find(existsSync);
  if (found === undefined) throw new Error('there is no mariadbd: install mariadb-server, or set MARIADB_ROOT');
  return found;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** What mariadb-install-db runs, without its users: the tables of the server itself. */
function systemTables() {
  const texts = ['system_tables', 'performance_tables', 'system_tables_data'].flatMap((name) => {
    const file = ['mariadb', 'mysql'].map((prefix) => join(share, `${prefix}_${name}.sql`)).find(existsSync);
    return file === undefined ? [] : [readFileSync(file, 'utf8')];
  });
  const lines = texts.join('\n').split('\n');
  return [
    'CREATE DATABASE mysql;',
    'USE mysql;',
    'SET @auth_root_socket = NULL;',
    'SET @skip_auth_anonymous = 1;',
    ...lines.filter((line) => !line.includes('@current_hostname')),
  ].join('\n');
}

async function startServer(folder) {
  const program = findServer();
  const password = randomBytes(18).toString('base64url');
  const data = join(folder, 'data');
  mkdirSync(data);
  // It looks for them as nobody, who may not look into the folder of the package.
  const messages = join(folder, 'english');
  cpSync(join(share, 'english'), messages, { recursive: true });
  const first = join(folder, 'first.sql');
  writeFileSync(
    first,
    `CREATE USER bench@'127.0.0.1' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO bench@'127.0.0.1' WITH GRANT OPTION;\n`,
    { mode: 0o600 },
  );
  if (isRoot) {
    const [uid, gid] = ['-u', '-g'].map((option) =>
      Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' })),
    );
    for (const path of [folder, data, first]) chownSync(path, uid, gid);
  }
  const shared = [
    '--no-defaults',
    `--datadir=${data}`,
    `--lc-messages-dir=${folder}`,
    `--character-sets-dir=${join(share, 'charsets')}`,
    '--skip-log-bin',
    ...(isRoot ? ['--user=nobody'] : []),
  ];
  const bootstrap = spawn(program, [...shared, '--bootstrap', '--innodb-log-file-size=16M'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const said = [];
  bootstrap.stderr.on('data', (piece) => said.push(piece));
  bootstrap.stdin.end(systemTables());
  const [code] = await once(bootstrap, 'close');
  if (code !== 0) throw new Error(`mariadbd --bootstrap ended with ${code}:\n${Buffer.concat(said)}`);
  const port = await freePort();
  const log = join(folder, 'mariadb.log');
  const server = spawn(
    program,
    [
      ...shared,
      `--init-file=${first}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      `--socket=${join(folder, 'mariadb.sock')}`,
      `--pid-file=${join(folder, 'mariadb.pid')}`,
      `--log-error=${log}`,
      '--innodb-log-file-size=64M',
      '--innodb-buffer-pool-size=128M',
      '--skip-name-resolve',
    ],
    { stdio: 'ignore' },
  );
  const url = `mysql://bench:${password}@127.0.0.1:${port}/`;
  for (const end = Date.now() + READY_MS; ; await sleep(50)) {
    try {
      await (await mysql.createConnection(url)).end();
      return { server, url };
    } catch (error) {
      if (server.exitCode !== null || Date.now() > end) {
        server.kill('SIGKILL');
        throw new Error(
          `mariadbd did not start: ${error.message}\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`,
        );
      }
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-mariadb-'));
let server;
let command;
let ended = false;
const end = (signal) => {
  ended = true;
  command?.kill(signal);
};
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => end(signal));
try {
  const started = await startServer(folder);
  server = started.server;
  const [program, ...args] = process.argv.slice(2);
  if (program === undefined) {
    console.log(started.url);
    while (!ended && server.exitCode === null) await sleep(100);
  } else if (!ended) {
    command = spawn(program, args, { stdio: 'inherit', env: { ...process.env, MARIADB_URL: started.url } });
    const [code] = await once(command, 'close');
    process.exitCode = code ?? 1;
  }
} finally {
  if (server !== undefined && server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'close');
  }
  rmSync(folder, { recursive: true, force: true });
}
