import { expect, it } from 'vitest';
import type { LinkRecord } from '../../../../src/journal/link/link-record.ts';
import type { SliceRecord } from '../../../../src/journal/records.ts';
import { linkNotes, readLinks } from '../../../../src/judge/read/rounds/links.ts';

function look(round: number, addedUs: number, arm = 'far'): LinkRecord {
  const direct = { trips: 100, p50Us: 100, p99Us: 150 };
  const distant = { trips: 100, p50Us: 100 + addedUs, p99Us: 300 + addedUs };
  return { type: 'link', round, arm, variant: 'far', distance: { asked: { rttMs: 1 }, direct, distant } };
}

function slice(variant: string, loadMs: number, linkCpuMs?: number | null): SliceRecord {
  return { type: 'slice', variant, loadMs, work: { ...(linkCpuMs !== undefined && { linkCpuMs }) } } as SliceRecord;
}

it('sums up what was measured of a distance, over all its looks and all its load', () => {
  const reader = readLinks();
  const records = [
    look(1, 1000),
    look(1, 1040, 'far (repeat)'),
    slice('near', 4000),
    slice('far', 4000, 1000),
    look(2, 1300),
    slice('far', 1000, 500),
  ];
  for (const record of records) reader.add(record);
  const links = reader.links();
  expect(links).toEqual([
    { variant: 'far', distance: { asked: { rttMs: 1 }, looks: 3, p50Ms: 1.04, p99Ms: 1.24, off: 1 }, cpus: 0.3 },
  ]);
  expect(linkNotes(links)).toEqual([
    { kind: 'distance-off', variant: 'far', askedMs: 1, p50Ms: 1.04, off: 1, looks: 3 },
  ]);
});

it('says where a proxy is busy, and nothing where it is not known or nothing stands between', () => {
  const read = (...cpuMs: (number | null)[]) => {
    const reader = readLinks();
    for (const record of [look(1, 1000), ...cpuMs.map((ms) => slice('far', 1000, ms))]) reader.add(record);
    return reader.links();
  };
  expect(linkNotes(read(900))).toEqual([{ kind: 'link-busy', variant: 'far', cpus: 0.9 }]);
  expect(read(900, null)[0]?.cpus).toBeNull();
  expect(linkNotes(read(900, null))).toEqual([]);
  expect(read()[0]?.cpus).toBeNull();
  const none = readLinks();
  none.add(slice('near', 1000));
  expect(none.links()).toEqual([]);
});

it('keeps what pools connections, as it was seen', () => {
  const pooler = {
    version: '1.18.0',
    asked: { kind: 'pgbouncer', mode: 'transaction', size: 5, settings: {} },
  } as const;
  const reader = readLinks();
  for (const record of [{ ...look(1, 1000), pooler }, slice('far', 1000, 100)]) reader.add(record);
  expect(reader.links()).toMatchObject([{ variant: 'far', pooler, cpus: 0.1 }]);
  const alone = readLinks();
  alone.add({ type: 'link', round: 1, arm: 'pooled', variant: 'pooled', pooler });
  expect(alone.links()).toEqual([{ variant: 'pooled', pooler, cpus: null }]);
});
