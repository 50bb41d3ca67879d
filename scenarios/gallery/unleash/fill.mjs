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
const headers = { authorization: '*:*.gallery-admin', 'content-type': 'application/json' };
for (let tries = 0; !(await fetch(`${base}/health`).catch(() => null))?.ok; tries++) {
  if (tries > 300) throw new Error('Unleash does not start');
  await sleep(100);
}
for (let i = 0; i < 200; i++) {
  const answer = await fetch(`${base}/api/admin/projects/default/features`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: `feature-${i}`, type: 'release' }),
  });
  if (!answer.ok) throw new Error(`a feature was answered ${answer.status}: ${await answer.text()}`);
}
service.kill();
