import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { startCli } from '../../cli/cli.ts';

it('a run that was killed goes on behind the numbers that it may have used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-unique-'));
  const seen: number[] = [];
  const server = createServer((request, response) => {
    seen.push(Number(request.url?.slice(1)));
    response.end('ok');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'mine.yaml');
  const out = join(folder, 'run');
  writeFileSync(
    file,
    `target: { url: 'http://127.0.0.1:${(server.address() as AddressInfo).port}' }
variants: { A: {}, B: {} }
control: A
load: { connections: 2, slice: 1s, warmup: 200ms, uniqueFrom: 500, requests: [{ path: "/\${unique}" }] }
rounds: { min: 1, max: 1 }
`,
  );
  const numbers = (): number[] => seen.filter((number) => number > 0);
  const env = { XDG_CACHE_HOME: join(folder, 'cache') };
  const killed = startCli(['sweep', file, '--out', out, '--quiet'], { env });
  let ended: string | null = null;
  void killed.done.then(({ code, err }) => {
    ended = `${code}: ${err}`;
  });
  while (numbers().length < 50 && ended === null) await sleep(5);
  expect(ended).toBeNull();
  process.kill(killed.pid, 'SIGKILL');
  await killed.done;
  const before = numbers();
  expect(Math.min(...before)).toBe(500);
  const again = await startCli(['sweep', '--resume', out, '--quiet'], { env }).done;
  expect([...readJournal(join(out, 'journal.jsonl')).records].at(-1), again.err).toMatchObject({
    type: 'end',
    reason: 'rounds',
  });
  const all = numbers();
  expect(all.length).toBeGreaterThan(before.length + 50);
  expect(new Set(all).size).toBe(all.length);
});
