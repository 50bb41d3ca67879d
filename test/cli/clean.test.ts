import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCli } from './cli.ts';

it('pgsweep clean says that nothing is left where no run was killed', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'pgsweep-clean-'));
  const { code, out, err } = await startCli(['clean'], { env: { XDG_CACHE_HOME: cache } }).done;
  rmSync(cache, { recursive: true });
  expect({ code, out, err }).toEqual({ code: 0, out: 'Nothing is left of any run.\n', err: '' });
});
