import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { exitCodeOf, startCli } from '../../cli/cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-hot-set-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A variant whose setting needs a restart and changes nothing, against the control and its twin. */
const scenario = 'test/bench/truth/hot-set/hot-set.yaml';

/** One session, whose blocks are checked. Returns the rates that it finds to differ clearly. */
async function findings(run: string): Promise<Summary['comparisons']> {
  const { code, err } = await startCli(['sweep', scenario, '--stack', 'embedded', '--rounds', '4', '--out', run]).done;
  expect(code, err).toBe(exitCodeOf(run));
  const { comparisons, repeats, provenance } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as Summary;
  expect(provenance.ownServers).toBe('variants');
  const blocks = [...comparisons, ...repeats].filter(({ metric }) => metric === 'blks_read_per_request');
  expect(blocks).toHaveLength(2);
  for (const { control, value, deltaPercent } of blocks) {
    // Ten rows a request, of which a third is not cached. With 16 MB for two copies it was 7.7 of the control's.
    expect(Number(control)).toBeLessThan(5.5);
    expect(Number(value)).toBeGreaterThan(2.5);
    expect(Math.abs(Number(deltaPercent))).toBeLessThan(12);
  }
  return comparisons.filter(
    ({ metric, verdict, deltaPercent }) =>
      ['requests_per_s', 'blks_read_per_request'].includes(metric) &&
      ['higher', 'lower'].includes(verdict) &&
      Math.abs(Number(deltaPercent)) > 5,
  );
}

describe('a table of 1.5 times shared_buffers, read at random by services that do the same', () => {
  it('is as cold for each arm, and no variant is found to be faster or slower', async () => {
    const odd = await findings(join(folder, 'run'));
    // One session in twenty may tell one by chance. What is there, another tells as well, in the same direction.
    const again = odd.length === 0 ? [] : await findings(join(folder, 'again'));
    const both = odd.filter((one) =>
      again.some(({ metric, verdict }) => metric === one.metric && verdict === one.verdict),
    );
    expect(both).toEqual([]);
  });
});
