import { expect, it } from 'vitest';
import type { DatasetRecord } from '../../../src/journal/records.ts';
import { requireSameData } from '../../../src/measure/run/provenance.ts';

const data = (fingerprint: string | null): DatasetRecord => ({
  name: 'a.sql',
  documents: 0,
  byResource: {},
  fingerprint,
  loadMs: 1,
});

it('a resumed run has the data that it began with', () => {
  requireSameData(data('a'), data('a'));
  requireSameData(null, null);
  for (const [before, now] of [
    [data('a'), data('b')],
    [data('a'), data(null)],
    [null, data('a')],
  ] as const)
    expect(() => requireSameData(before, now)).toThrow('the data set is not the one that the run began with');
});

it('nothing is known of the data of a run whose record has no fingerprint', () => {
  requireSameData(data(null), data('a'));
});
