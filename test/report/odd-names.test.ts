import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import { documentOf } from '../../src/report/document.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { writeSliceSamples } from '../../src/report/slice-samples.ts';
import { renamed, runNamed } from '../faults/hostile-run.ts';

/** A variant, a value of a probe, columns of its rows, statuses, a request, a setting and a resource. */
const places = [2, 6, 10, 13, 14, 24, 27, 38, 41];

/** As JSON. Requests of other names are other work, so the digest of the work is left out. */
const summaryOf = (names: readonly string[]): Summary => {
  const { run, ...summary } = summarize({ ...runNamed(names), warnings: [] });
  return JSON.parse(JSON.stringify({ ...summary, run: { ...run, work: undefined } }));
};
const plain = summaryOf([]);

describe.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s as a name', (odd) => {
  const names: string[] = [];
  for (const place of places) names[place] = odd;

  it('has the numbers that any other name has', () => {
    const summary = summaryOf(names);
    for (const part of ['run', 'averages', 'comparisons', 'notes', 'indexes', 'provenance'] as const)
      expect(summary[part], part).toEqual(renamed(plain[part], names));
    expect(renderMarkdown(documentOf(summary))).not.toMatch(/undefined|NaN|native code|\[object/);
  });

  it('is a column of samples', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-odd-names-'));
    writeSliceSamples(folder, { ...runNamed(names), warnings: [] });
    const [slices, rows] = ['slices', 'name05-rows'].map((name) =>
      readFileSync(join(folder, 'samples', `${name}.csv`), 'utf8')
        .trimEnd()
        .split('\n'),
    );
    rmSync(folder, { recursive: true });
    for (const [lines = [], value] of [
      [slices, '1'],
      [rows, 'name11'],
    ] as const) {
      const column = (lines[0] ?? '').split(',').indexOf(odd);
      expect(column).toBeGreaterThan(0);
      for (const line of lines.slice(1)) expect(line.split(',')[column]).toBe(value);
    }
  });
});
