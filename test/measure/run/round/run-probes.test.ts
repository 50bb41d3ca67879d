import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Variant } from '../../../../src/journal/scenario-record.ts';
import type { ProbeWarning } from '../../../../src/measure/probe/probe-warning.ts';
import { probeNames } from '../../../../src/measure/probe/registry.ts';
import { createRunProbes } from '../../../../src/measure/run/round/run-probes.ts';

const variant: Variant = { name: 'a', factors: {}, env: {} };

it('sees the slices that it is asked to see, and no others', async () => {
  const samplesFolder = mkdtempSync(join(tmpdir(), 'pgsweep-run-probes-'));
  const warnings: ProbeWarning[] = [];
  const probes = await createRunProbes({
    context: { generatorPid: process.pid, samplesFolder, onWarning: (warning) => warnings.push(warning) },
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

it.runIf(process.platform === 'linux')('says once, at the end, that the disk had no room for samples', async () => {
  const samplesFolder = mkdtempSync(join(tmpdir(), 'pgsweep-run-probes-'));
  for (const name of ['network', 'pressure']) symlinkSync('/dev/full', join(samplesFolder, `${name}.csv`));
  const warnings: ProbeWarning[] = [];
  const probes = await createRunProbes({
    context: { generatorPid: process.pid, samplesFolder, onWarning: (warning) => warnings.push(warning) },
    servers: null,
    off: probeNames.filter((name) => name !== 'network' && name !== 'pressure'),
    write: () => {},
  });
  const arm = { round: 1, slice: 0, arm: 'a', database: null, url: 'http://127.0.0.1:1', pid: null };
  const end = await probes.begin({ ...arm, underLoad: () => true }, variant);
  // The round has its values all the same.
  expect((await end({ loadMs: 10, passMs: 10, turns: [] })).length).toBeGreaterThan(0);
  await probes.endRound();
  expect(warnings).toEqual([]);
  const error = await probes.close().catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'disk',
    message: expect.stringMatching(/\.csv could not be written: its disk is full$/),
  });
  rmSync(samplesFolder, { recursive: true });
});
