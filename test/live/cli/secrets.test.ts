import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { cli, startCli } from '../../cli/cli.ts';
import { descendantsOf } from '../../support/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = { PGSWEEP_TEST_PASSWORD: 'password-of-the-test', XDG_CACHE_HOME: join(folder, 'cache') };
const secrets = [env.PGSWEEP_TEST_PASSWORD, 'inline-key-of-the-test', 'token-for-arm'];

/** Lets in who has a token, and gives one to who has the password. */
async function startGuarded(): Promise<{ url: string; seen: Set<string | undefined> }> {
  const seen = new Set<string | undefined>();
  let tokens = 0;
  const server = createServer(async (request, response) => {
    if (request.url === '/login') {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (!body.includes(env.PGSWEEP_TEST_PASSWORD)) return void response.writeHead(401).end(body);
      return void response.end(JSON.stringify({ token: `token-for-arm-${tokens++}` }));
    }
    const { authorization } = request.headers;
    if (request.url?.startsWith('/x') === true) seen.add(authorization);
    // A closed loop takes all of a machine, which other tests want, too.
    await sleep(10);
    response.writeHead(authorization?.startsWith('Bearer token-for-arm-') ? 200 : 403).end('ok');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile());
}

it('a run with a login has a token for each arm, and its folder and what it prints have no secret', async () => {
  const { url, seen } = await startGuarded();
  const file = join(folder, 'guarded.yaml');
  const out = join(folder, 'run');
  const text = `title: guarded
target: { url: '${url}', login: { path: /login, body: { password: "\${env PGSWEEP_TEST_PASSWORD}" }, token: token } }
variants: { A: {}, B: {} }
control: A
load:
  connections: 2
  slice: 500ms
  warmup: 200ms
  requests: [{ path: "/x?key=inline-key-of-the-test", headers: { Authorization: "Bearer \${token}" } }]
rounds: { min: 1, max: 1 }
`;
  writeFileSync(file, text);
  const first = await startCli(['sweep', file, '--out', out, '--json'], { env }).done;
  // Whether such a session is fit depends on what else the machine does; that it has come to its end does not.
  expect(first.err).toContain('done: all rounds are done');
  // The control, the control again and B.
  expect([...seen].sort()).toEqual([0, 1, 2].map((arm) => `Bearer token-for-arm-${arm}`));
  const printed = (await startCli(['report', out], { env }).done).out;
  const planned = (await startCli(['plan', file, '--json'], { env }).done).out;
  for (const content of [
    first.out,
    first.err,
    printed,
    planned,
    ...filesIn(out).map((name) => readFileSync(name, 'utf8')),
  ])
    for (const secret of secrets) expect(content).not.toContain(secret);
  const { run } = readJournal(join(out, 'journal.jsonl'));
  expect(Object.keys(run.secrets?.digests ?? {}).sort()).toEqual([
    'load.workload.requests.0.headers.Authorization',
    'load.workload.requests.0.path',
    'target.login.body.password',
  ]);
  for (const name of filesIn(out)) expect(statSync(name).mode & 0o777, name).toBe(0o600);

  // Another round: the secrets come from the file again.
  seen.clear();
  const again = await startCli(['sweep', '--resume', out, '--rounds', '2'], { env }).done;
  expect(again.err).toContain('done: all rounds are done');
  expect(again.err).not.toMatch(/secrets (of|have)/);
  expect(seen.size).toBe(3);
  writeFileSync(file, text.replace('inline-key-of-the-test', 'another-key-of-the-test'));
  const changed = await startCli(['sweep', '--resume', out, '--rounds', '3'], { env }).done;
  expect(changed.err).toContain('warning: Secrets have changed since the run began: load.workload.requests.0.path');
  rmSync(file);
  const gone = await startCli(['sweep', '--resume', out, '--rounds', '4'], { env }).done;
  expect(gone).toMatchObject({ code: 2, err: expect.stringContaining('A run folder keeps no secrets') });
});

/** Prints what it was given, on both streams, and a token in two pieces. */
const talkative = `const { createServer } = require('node:http');
const { Pool } = require(${JSON.stringify(createRequire(import.meta.url).resolve('pg'))});
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
console.log('up with', process.env.UPSTREAM, JSON.stringify({ file: process.env.FROM_FILE }));
createServer((request, response) => {
  process.stdout.write('asked with ' + request.headers.authorization?.slice(0, 12));
  process.stderr.write(request.url + ' ' + encodeURIComponent(process.env.FROM_FILE) + '\\n');
  process.stdout.write((request.headers.authorization?.slice(12) ?? '') + ' for ' + process.env.DATABASE_URL + '\\n');
  const token = 'token-for-arm-' + process.pid;
  pool.query('SELECT pg_sleep(0.01)').then(() => response.end(JSON.stringify({ token })));
}).listen(process.env.PORT, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
`;

it('what a service prints stays in its log but for secrets, and no command line that a run has made has one', async () => {
  const fromFile = 'secret/of "the" file';
  const given = { 'service.cjs': talkative, 'secret.txt': `${fromFile}\n`, 'schema.sql': 'CREATE TABLE t (i int);\n' };
  for (const [name, text] of Object.entries(given)) writeFileSync(join(folder, name), text);
  const file = join(folder, 'talkative.yaml');
  const out = join(folder, 'talkative');
  writeFileSync(
    file,
    `target:
  command: node service.cjs
  env: { UPSTREAM: "\${env PGSWEEP_TEST_PASSWORD}", FROM_FILE: "\${file secret.txt}" }
  login: { path: /login, token: token }
dataset: { sql: schema.sql }
variants: { A: {}, B: { env: { POOL_MAX: 5 } } }
control: A
load:
  connections: 1
  slice: 500ms
  warmup: 200ms
  requests: [{ path: "/x?key=inline-key-of-the-test", headers: { Authorization: "Bearer \${token}" } }]
rounds: { min: 1, max: 1 }
`,
  );
  const running = startCli(['sweep', file, '--out', out], { env });
  const commands = new Set<string>();
  const looking = setInterval(() => {
    for (const { args } of descendantsOf(running.pid)) commands.add(args);
  }, 50);
  const { out: printed, err } = await running.done;
  clearInterval(looking);
  expect(err).toContain('done: all rounds are done');
  expect([...commands].filter((args) => /service\.cjs/.test(args))).not.toEqual([]);
  const texts = [printed, err, ...commands, ...filesIn(out).map((name) => readFileSync(name, 'utf8'))];
  for (const text of texts)
    for (const secret of [...secrets, fromFile, JSON.stringify(fromFile).slice(1, -1), encodeURIComponent(fromFile)])
      expect(text).not.toContain(secret);
  const logs = filesIn(join(out, 'logs')).map((name) => readFileSync(name, 'utf8'));
  expect(logs.join('')).toMatch(/^up with \*{3} \{"file":"\*{3}"\}$/m);
  expect(logs.join('')).toMatch(/asked with Bearer \*{3} for postgres/);
});

it('a login that is refused is an error without the password', async () => {
  const { url } = await startGuarded();
  const file = join(folder, 'refused.yaml');
  writeFileSync(
    file,
    `title: refused
target: { url: '${url}', login: { path: /login, body: { password: wrong-one-of-the-test }, token: token } }
variants: { A: {}, B: {} }
control: A
load: { connections: 1, requests: [{ path: "/\${token}" }] }
`,
  );
  const { code, err } = await cli('sweep', file, '--out', join(folder, 'refused'));
  expect(err).toMatch(/error: the login of "[AB]" \(POST \/login\) was answered 401: \{"password":"\*\*\*"\}/);
  expect(code).toBe(2);
});

it.runIf(process.platform === 'linux')('the command line is not to be seen', async () => {
  const running = startCli(['doctor', '--postgres', 'postgres://me:password-in-ps@127.0.0.1:9/x', '--watch', '5s']);
  await running.until('watching');
  expect(readFileSync(`/proc/${running.pid}/cmdline`, 'utf8')).not.toContain('password-in-ps');
  const { out, err } = await running.done;
  expect(out + err).not.toContain('password-in-ps');
});
