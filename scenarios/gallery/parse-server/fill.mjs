// Starts the service once: it makes its tables, and its own API fills them.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const service = spawn(process.execPath, ['server.mjs'], {
  env: { ...process.env, PORT: String(port) },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const base = `http://127.0.0.1:${port}`;
const headers = { 'x-parse-application-id': 'gallery', 'content-type': 'application/json' };
for (let tries = 0; !(await fetch(`${base}/health`).catch(() => null))?.ok; tries++) {
  if (tries > 300) throw new Error('Parse Server does not start');
  await sleep(100);
}
// The first one makes the class: several at once would all make it.
await add(0);
for (let from = 1; from < 5000; from += 20) {
  await Promise.all(Array.from({ length: 20 }, (_, i) => add(from + i)));
}
service.kill();

async function add(i) {
  const body = JSON.stringify({ player: `player ${i % 500}`, points: (31 * i) % 1000 });
  const answer = await fetch(`${base}/parse/classes/Score`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`a score was answered ${answer.status}: ${await answer.text()}`);
}
