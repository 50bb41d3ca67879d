import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { needs } from '../../support/needs.ts';

const gallery = await needs('gallery');

it(
  'a service of the gallery is installed and swept quick: each of its variants answers all kinds of request',
  gallery.orSkip,
  async () => {
    const out = mkdtempSync(join(tmpdir(), 'pgsweep-gallery-'));
    onTestFinished(() => rmSync(out, { recursive: true }));
    const args = ['src/cli/bin.mjs', 'sweep', join(gallery.has, 'pgsweep.yaml'), '--quick', '--out', join(out, 'run')];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, '--quiet', '--json']);
    const { run, averages, requests } = JSON.parse(stdout) as Summary;
    expect(run.variants).toEqual(['pg', 'Drizzle', 'TypeORM']);
    expect(averages.map(({ not_ok, errors, timeouts }) => not_ok + errors + timeouts)).toEqual(averages.map(() => 0));
    const named = new Set(requests.averages.map(({ variant, request }) => `${variant}: ${request}`));
    expect(named.size).toBe(9);
  },
);
