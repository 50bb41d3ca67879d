import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { probeNames, type Variant } from '../../../src/journal/scenario-record.ts';
import { createRunProbes } from '../../../src/run/round/run-probes.ts';

const variant: Variant = { name: 'a', factors: {}, env: {} };

it('sees the slices that it is asked to see, and no others', async () => {
  const samplesFolder = mkdtempSync(join(tmpdir(), 'pgsweep-run-probes-'));
  const warnings: string[] = [];
  const probes = await createRunProbes({
    context: { generatorPid: process.pid, samplesFolder, onWarning: (message) => warnings.push(message) },
    servers: null,
    off: probeNames.filter((name) => name !== 'processes'),
    sees: ({ slice }) => slice !== 1,
    write: () => {},
  });
  const seen: number[] = [];
  for (const slice of [0, 1, 2]) {
    const arm = {
      round: 1,
      slice,
      arm: 'a',
      database: null,
      url: 'http://127.0.0.1:1',
      pid: null,
      underLoad: () => true,
    };
    const end = await probes.begin(arm, variant);
    seen.push(...(await end({ loadMs: 10, passMs: 10, turns: [] })).map((record) => record.slice));
  }
  await probes.close();
  rmSync(samplesFolder, { recursive: true });
  expect(seen).toEqual([0, 2]);
  expect(warnings).toEqual([]);
});
