import { describe, expect, it } from 'vitest';
import type { CapacitySpec } from '../../../../src/journal/capacity/capacity-spec.ts';
import { aggregateRun } from '../../../../src/judge/read/aggregate-run.ts';
import type { CapacityPoint } from '../../../../src/judge/read/rounds/capacity-points.ts';
import { judgeCapacities } from '../../../../src/judge/verdicts/capacity/judge-capacities.ts';
import { tooFewAnswers } from '../../../../src/judge/verdicts/capacity/too-few-answers.ts';
import { judgeSession } from '../../../../src/judge/verdicts/session.ts';
import { fixtureJournal } from '../../journal-fixture.ts';
import { small } from '../../small-run.ts';

const spec: CapacitySpec = {
  of: 'connections',
  from: 1,
  to: 200,
  until: [
    { metric: 'p95_ms', most: 100 },
    { metric: 'failed', most: 0.01 },
  ],
};

/** Slices with so many answers, one at each load: a p95 needs 200. */
function points(answers: readonly number[], changes: Partial<CapacityPoint> = {}): CapacityPoint[] {
  return answers.map((count, at) => {
    const load = 10 + 5 * at;
    const known: [string, number][] = count < 200 ? [] : [['p95_ms', load * 4]];
    const values = new Map([['failed', 0], ...known]);
    return {
      round: 1,
      load,
      wanted: true,
      generatorBusy: false,
      machineBusy: false,
      answers: count,
      values,
      ...changes,
    };
  });
}

describe('too few answers for the percentile of a limit', () => {
  it('are reported with the most that a slice had, and with a slice that is long enough', () => {
    const arms = [{ points: points([139, 128, 130, 124]) }];
    expect(tooFewAnswers(arms, spec, 2000)).toEqual({ metric: 'p95_ms', answers: 139, needed: 200, sliceMs: 4000 });
    const p99 = { ...spec, until: [...spec.until, { metric: 'p99_ms', most: 100 }] };
    expect(tooFewAnswers(arms, p99, 2000)).toMatchObject({ metric: 'p99_ms', needed: 1000, sliceMs: 20_000 });
  });

  it('are none of slices that have enough, no answers at all, or a busy generator, nor of the way up', () => {
    const reasons = [
      points([200, 300]),
      points([0, 0]),
      points([100], { generatorBusy: true, values: new Map() }),
      points([100], { wanted: false }),
    ];
    for (const own of reasons) expect(tooFewAnswers([{ points: own }], spec, 2000)).toBeNull();
    const byProbe = { ...spec, until: [{ metric: 'service_cpu', most: 1 }] };
    expect(tooFewAnswers([{ points: points([100]) }], byProbe, 2000)).toBeNull();
  });

  it('are why a session has no answer, where no arm without one has another reason', () => {
    const { scenario, ...data } = aggregateRun(fixtureJournal(small));
    const load = { ...scenario.load, levels: [], capacity: spec, sliceMs: 2000 };
    const reasonsOf = (control: CapacityPoint[], again: CapacityPoint[]) => {
      const arms = [
        { variant: scenario.control, repeat: false, points: control, hiddenShare: 0 },
        { variant: scenario.control, repeat: true, points: again, hiddenShare: 0 },
        { variant: 'b', repeat: false, points: points([300, 310, 320, 330]), hiddenShare: 0 },
      ];
      const searched = { ...data, scenario: { ...scenario, load }, capacity: arms };
      return judgeSession(searched, [], [], judgeCapacities(searched)).reasons;
    };
    const short = points([139, 128, 130, 124]);
    const variants = [scenario.control];
    const tooFew = { metric: 'p95_ms', answers: 139, needed: 200, sliceMs: 4000 };
    expect(reasonsOf(short, short)).toEqual([{ kind: 'no-capacity', variants, outcomes: ['not-measured'], tooFew }]);
    const busy = points([300, 300], { generatorBusy: true, values: new Map() });
    expect(reasonsOf(short, busy)).toEqual([
      { kind: 'no-capacity', variants, outcomes: ['not-measured', 'generator'] },
    ]);
  });
});
