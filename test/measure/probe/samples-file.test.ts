import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSamplesCsv } from '../../../src/measure/probe/samples-file.ts';

/** The file after a resumed run has added a row to what a kill left. */
async function resumed(left: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-samples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'machine.csv');
  writeFileSync(file, left);
  const csv = openSamplesCsv(file, ['at', 'value']);
  csv.write(['b', 2]);
  await csv.close();
  return readFileSync(file, 'utf8');
}

it.each([
  ['a last row that a kill cut off is removed', 'at,value\na,1\n2026-01-31T1', 'at,value\na,1\nb,2\n'],
  ['whole rows stay', 'at,value\na,1\n', 'at,value\na,1\nb,2\n'],
  ['a header that was cut off is written again', 'at,va', 'at,value\nb,2\n'],
  ['an empty file gets its header', '', 'at,value\nb,2\n'],
  ['a long row that was cut off is removed whole', `at,value\n${'x'.repeat(200_000)}`, 'at,value\nb,2\n'],
])('%s when a run is resumed', async (_, left, after) => {
  expect(await resumed(left)).toBe(after);
});
