import { describe, expect, it } from 'vitest';
import type { JournalRecord, SliceRecord } from '../../src/journal/records.ts';
import { earlierSlices } from '../../src/run/earlier-slices.ts';
import { runRound } from '../../src/run/run-round.ts';
import { createSliceJudge } from '../../src/run/slice-judge.ts';
import { fixtureJournal, fixtureProvenance } from '../analysis/journal-fixture.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { fakeWorld } from './fake-world.ts';

const { run } = fixtureJournal();
const scenario = testScenario();

/** Three rounds of a run whose disk is busy for that share of the time, as its journal has them. */
async function measured(ioPressureShare: number): Promise<JournalRecord[]> {
  const world = fakeWorld(scenario);
  world.conditions = () => ({ ioPressureShare });
  for (const round of [1, 2, 3]) await runRound(world.context, round);
  return world.records;
}

/** The reasons for which slices of the next round are void on a disk that is busy half of the time. */
async function voidAfter(records: readonly JournalRecord[], here = fixtureProvenance): Promise<unknown[]> {
  const world = fakeWorld(scenario);
  world.conditions = () => ({ ioPressureShare: 0.5 });
  const judge = createSliceJudge(scenario.load, earlierSlices({ run, records }, here));
  await runRound({ ...world.context, judge, repeatUntilMs: 0 }, 4);
  return world.records.flatMap((record) => (record.type === 'slice' ? (record.voided ?? []) : []));
}

describe('a run that is resumed', () => {
  it('knows what IO pressure was usual for its cells', async () => {
    expect(await voidAfter([])).toEqual([]);
    expect(await voidAfter(await measured(0.02))).toEqual(Array(15).fill('io pressure'));
    expect(await voidAfter(await measured(0.4))).toEqual([]);
  });

  it('learns nothing from slices that were void', async () => {
    const records = await measured(0.02);
    const disturbed = records.map((record) =>
      record.type === 'slice' ? ({ ...record, voided: ['foreign cpu'] } satisfies SliceRecord) : record,
    );
    expect(await voidAfter(disturbed)).toEqual([]);
  });

  it('knows only what was usual on this machine', async () => {
    const here = { ...fixtureProvenance, kernel: 'Linux 6.6' };
    const records = await measured(0.02);
    expect(await voidAfter(records, here)).toEqual([]);
    expect(await voidAfter([{ type: 'resume', at: '', provenance: here }, ...records], here)).toHaveLength(15);
  });
});
