// A message board on Postgres or on MariaDB, in two releases: `node server.mjs v1` or `node server.mjs v2`.
//
// Postgres is that of DATABASE_URL. MariaDB is that of MARIADB_URL where that is what STORE says, in the database that
// PGSWEEP_ARM names: all arms of a run share the server, and none its data with another.
import { createServer } from 'node:http';
import { openStore } from './store.mjs';

const releases = { v1: () => import('./v1.mjs'), v2: () => import('./v2.mjs') };
const release = releases[process.argv[2]];
if (release === undefined) throw new Error(`expected one of ${Object.keys(releases).join(', ')}`);
const { newestPosts } = await release();
const store = openStore(process.env);

async function answer(request, response) {
  const [, kind, id, more] = new URL(request.url, 'http://localhost').pathname.split('/');
  if (kind === 'health') return response.end('ok');
  if (kind === 'channels' && more === 'posts' && request.method === 'GET') {
    return json(response, 200, await newestPosts(store, Number(id)));
  }
  if (kind === 'channels' && more === 'posts' && request.method === 'POST') {
    const { id: post, user, message } = JSON.parse((await request.toArray()).join(''));
    const row = [post, Number(id), user, message];
    await store.query('INSERT INTO posts (id, channel_id, user_id, message) VALUES (?, ?, ?, ?)', row);
    return json(response, 201, { id: post });
  }
  if (kind === 'users') {
    const [user] = await store.query('SELECT id, name FROM users WHERE id = ?', [Number(id)]);
    return user === undefined ? json(response, 404, {}) : json(response, 200, user);
  }
  return json(response, 404, {});
}

function json(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => json(response, 500, { error: error.message }));
});
server.listen(Number(process.env.PORT), '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(() => store.end());
  server.closeIdleConnections();
});
