import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bootId } from '../../src/base/process/read-proc.ts';
import { startCli } from './cli.ts';

it('pgsweep clean says that nothing is left where no run was killed', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'pgsweep-clean-'));
  const { code, out, err } = await startCli(['clean'], { env: { XDG_CACHE_HOME: cache } }).done;
  rmSync(cache, { recursive: true });
  expect({ code, out, err }).toEqual({ code: 0, out: 'No run left anything behind.\n', err: '' });
});

it('pgsweep clean ends with 3 where something could not be removed, and finds it again', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'pgsweep-clean-'));
  const running = join(cache, 'pgsweep', 'running');
  mkdirSync(running, { recursive: true, mode: 0o700 });
  const ledger = join(running, '1-0123456789ab.jsonl');
  const command = [process.execPath, '-e', 'console.error("the engine is down"); process.exit(1)'];
  // No process has started at that time.
  const lines = [
    { pid: process.pid, startTime: '1', boot: bootId(), run: null },
    { command: { id: 'container x', command, env: {} } },
  ];
  writeFileSync(ledger, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  for (let time = 0; time < 2; time++) {
    const { code, out } = await startCli(['clean'], { env: { XDG_CACHE_HOME: cache } }).done;
    expect({ code, out }).toEqual({ code: 3, out: 'container x could not be removed: the engine is down\n' });
  }
  expect(existsSync(ledger)).toBe(true);
  rmSync(cache, { recursive: true });
});
