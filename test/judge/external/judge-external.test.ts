import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { compareExternal, type ExternalRules } from '../../../src/judge/external/judge-external.ts';
import type { ExternalGroup, ExternalRun, Rounding } from '../../../src/judge/external/types.ts';

const rules: ExternalRules = { control: 'A', marginPercent: 5, plannedRounds: null };

interface Made {
  readonly values: Readonly<Record<string, readonly number[]>>;
  /** Whether variants follow each other, or all runs of one come before those of the next. */
  readonly inTurn?: boolean;
  readonly times?: boolean;
  readonly more?: Partial<ExternalRun>;
  readonly needed?: number;
  readonly rounding?: Rounding;
}

/** Runs of ten seconds with one metric. */
function group({ values, inTurn = true, times = true, more = {}, needed, rounding }: Made): ExternalGroup {
  const names = Object.keys(values);
  const runs = names.flatMap((variant, column) =>
    (values[variant] ?? []).map((value, row): ExternalRun => {
      const place = inTurn ? row * names.length + column : column * 1000 + row;
      const startMs = 11_000 * place;
      return {
        variant,
        place: `${variant}${row}`,
        taken: times ? { startMs, endMs: startMs + 10_000, source: 'tool' } : null,
        values: new Map([['rps', value]]),
        texts: new Map(),
        samples: null,
        failures: null,
        ...more,
      };
    }),
  );
  const metric = { name: 'rps', unit: '', ...(needed === undefined ? {} : { needed }), ...(rounding && { rounding }) };
  return { title: '', metrics: [metric], runs, variantsAcross: false, leftOut: [] };
}

const compare = (made: Made, more: Partial<ExternalRules> = {}) =>
  compareExternal([group(made)], { ...rules, ...more })[0];
const only = (made: Made, more: Partial<ExternalRules> = {}) => compare(made, more)?.comparisons[0];

describe('one value each', () => {
  it('is a percentage without a verdict', () => {
    expect(only({ values: { A: [256.31], B: [258.23] } })).toEqual({
      variant: 'B',
      metric: 'rps',
      unit: '',
      control: 256.31,
      value: 258.23,
      deltaPercent: 0.749093, // 100 (258.23 / 256.31 - 1)
      interval: null,
      verdict: 'noise',
      rounds: 0,
      notes: [{ kind: 'one-run' }],
    });
  });

  it('has no percentage of a control of 0', () => {
    expect(only({ values: { A: [0], B: [4.01] } })).toMatchObject({
      deltaPercent: null,
      notes: [{ kind: 'from-zero', value: 4.01 }],
    });
    expect(only({ values: { A: [0], B: [0] } })).toMatchObject({ deltaPercent: null, notes: [{ kind: 'both-zero' }] });
  });

  it('has no percentage of what is below 0', () => {
    expect(only({ values: { A: [-2], B: [4] } })).toMatchObject({ deltaPercent: null, notes: [{ kind: 'negative' }] });
  });
});

describe('runs in turn', () => {
  const control = [100, 98, 103, 101, 97, 102];

  it('are rounds: the change is the mean of the logarithms of their ratios', () => {
    // Ratios of 1.10, 1.12, 1.09, 1.11, 1.10, 1.08 on a control that wanders.
    const ratios = [1.1, 1.12, 1.09, 1.11, 1.1, 1.08];
    const found = only({ values: { A: control, B: control.map((value, i) => value * (ratios[i] ?? 1)) } });
    // 100 ((1.10 1.12 1.09 1.11 1.10 1.08)^(1/6) - 1) = 9.9926
    expect(found?.deltaPercent).toBeCloseTo(9.9926, 3);
    expect(found).toMatchObject({ verdict: 'higher', rounds: 6 });
    const [low, high] = found?.interval ?? [0, 0];
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(9.99);
    expect(high).toBeGreaterThan(9.99);
  });

  it('are noise where ratios scatter about 1, and say how many rounds it would take', () => {
    const ratios = [1.12, 0.9, 1.07, 0.93, 0.95, 1.04];
    const found = only({ values: { A: control, B: control.map((value, i) => value * (ratios[i] ?? 1)) } });
    expect(found).toMatchObject({ verdict: 'noise', notes: [{ kind: 'rounds-needed' }] });
  });

  it('have no verdict under four rounds', () => {
    expect(only({ values: { A: [100, 101, 99], B: [200, 202, 198] } })).toMatchObject({
      interval: null,
      verdict: 'noise',
      notes: [{ kind: 'few-rounds', rounds: 3, needed: 4 }],
    });
  });

  it('may spend more of the error where their number was decided on before', () => {
    const values = {
      A: control,
      B: control.map((value, i) => value * (1 + ([0.1, 0.02, 0.08, 0.03, 0.09, 0.04][i] ?? 0))),
    };
    const width = (planned: number | null): number => {
      const [low, high] = only({ values }, { plannedRounds: planned })?.interval ?? [0, 0];
      return high - low;
    };
    expect(width(6)).toBeLessThan(width(null));
    // Another number than was planned is no plan.
    expect(width(5)).toBe(width(null));
  });

  it('share the error with all groups: among five an interval is wider', () => {
    const ratios = [1.23, 1.19, 1.22, 1.24, 1.18, 1.21];
    const made = group({ values: { A: control, B: control.map((value, i) => value * (ratios[i] ?? 1)) } });
    const width = (groups: number): number => {
      const [first] = compareExternal(
        Array.from({ length: groups }, () => made),
        rules,
      );
      const [low, high] = first?.comparisons[0]?.interval ?? [0, 0];
      return high - low;
    };
    expect(width(1)).toBeGreaterThan(0);
    expect(width(5)).toBeGreaterThan(1.2 * width(1));
  });

  it('have intervals as wide as rounding allows', () => {
    const values = { A: [1, 1, 1, 1, 1, 1], B: [3, 3, 3, 3, 3, 3] };
    expect(only({ values })?.interval).toEqual([200, 200]);
    // 1 to 2 ms against 3 to 4 ms: from half as much again to four times as much.
    const down = only({ values, rounding: { below: 0, above: 1 } });
    expect(down).toMatchObject({
      deltaPercent: 200,
      verdict: 'higher',
      notes: [{ kind: 'rounded', range: [-50, 33.3333] }],
    });
    expect(down?.interval?.map(Math.round)).toEqual([50, 300]);
    expect(down?.bounds?.shared.map(Math.round)).toEqual([50, 300]);
  });

  it('have no verdict that rounding alone could make', () => {
    const one = { A: [1, 1, 1, 1, 1, 1], B: [2, 2, 2, 2, 2, 2] };
    const rounding = { below: 0, above: 1 };
    expect(only({ values: one })?.verdict).toBe('higher');
    expect(only({ values: one, rounding })).toMatchObject({ verdict: 'noise', deltaPercent: 100 });
    const alike = { A: [2, 2, 2, 2, 2, 2, 2, 2], B: [2, 2, 2, 2, 2, 2, 2, 2] };
    expect(only({ values: alike })?.verdict).toBe('same');
    expect(only({ values: alike, rounding })?.verdict).toBe('noise');
    const fine = { below: 0.004, above: 0.004 };
    expect(only({ values: alike, rounding: fine })).toMatchObject({ verdict: 'same', notes: [] });
  });

  it('that are identical are the same where rounding is finer than the margin; rounds are asked for only if they help', () => {
    const alike = { A: [2, 2, 2, 2, 2], B: [2, 2, 2, 2, 2] };
    // 1.9 to 2.1 would be 5 % either way; 1.99 to 2.01 is 1 %.
    const fine = only({ values: alike, rounding: { below: 0.01, above: 0.01 } });
    expect(fine).toMatchObject({ verdict: 'same', deltaPercent: 0, notes: [{ kind: 'rounded' }] });
    expect(fine?.interval?.map((percent) => Number(percent.toFixed(2)))).toEqual([-1, 1.01]);
    const coarse = only({ values: alike, rounding: { below: 0, above: 1 } });
    expect(coarse).toMatchObject({ verdict: 'noise', notes: [{ kind: 'rounded', isLimit: true }] });
    expect(coarse?.notes).toHaveLength(1);
    const few = { A: [2, 2, 2, 2], B: [2, 2, 2, 2] };
    expect(only({ values: few })).toMatchObject({ verdict: 'noise', notes: [{ kind: 'rounds-needed', rounds: 5 }] });
    expect(only({ values: few }, { sameFirst: true })?.verdict).toBe('same');
    // Nearly identical: one more round settles it, as long as rounding leaves room.
    const near = { A: [2, 2, 2, 2], B: [2.001, 2, 1.999, 2] };
    const open = only({ values: near, rounding: { below: 0.01, above: 0.01 } });
    expect(open?.notes.map(({ kind }) => kind)).toEqual(['rounds-needed', 'rounded']);
    const closed = only({ values: near, rounding: { below: 0.5, above: 0.5 } });
    expect(closed?.notes.map(({ kind }) => kind)).toEqual(['rounded']);
  });

  it('have no change where some of them have a text in place of a number, such as a timeout', () => {
    const made = group({ values: { A: control, B: control.map((value) => 0.8 * value) } });
    const compared = (text: string, variant: string) => {
      const [last] = made.runs.filter((run) => run.variant === variant).slice(-1);
      const runs = made.runs.map((run) =>
        run === last ? { ...run, values: new Map(), texts: new Map([['rps', text]]) } : run,
      );
      return compareExternal([{ ...made, runs }], rules)[0]?.comparisons[0];
    };
    for (const variant of ['A', 'B']) {
      expect(compared('timeout', variant)).toMatchObject({
        verdict: 'noise',
        deltaPercent: null,
        interval: null,
        notes: [{ kind: 'text', text: 'timeout' }],
      });
      expect(compared('', variant)?.deltaPercent).not.toBeNull();
    }
  });

  it('leave out percentiles of too few requests', () => {
    const made = { values: { A: control, B: control }, more: { samples: 900 }, needed: 1000 };
    expect(only(made)).toMatchObject({
      deltaPercent: null,
      notes: [{ kind: 'few-samples', needed: 1000, samples: 900 }],
    });
  });
});

describe('runs that were not taken in turn', () => {
  const values = { A: [100, 101, 99, 100], B: [110, 111, 109, 110] };

  it('have percentages of their means, and no verdict', () => {
    expect(only({ values, inTurn: false })).toMatchObject({
      control: 100,
      value: 110,
      deltaPercent: 10,
      interval: null,
      verdict: 'noise',
      notes: [{ kind: 'not-interleaved' }],
    });
    expect(compare({ values, inTurn: false })?.order.kind).toBe('not-in-turn');
  });

  it('are those whose times nobody knows', () => {
    expect(only({ values, times: false })).toMatchObject({ verdict: 'noise', notes: [{ kind: 'not-interleaved' }] });
  });
});

it('marks a variant of which clearly more requests failed', () => {
  const made = group({ values: { A: [100], B: [120] } });
  const failures = { A: { count: 0, among: 10_000 }, B: { count: 300, among: 10_000 } };
  const runs = made.runs.map((run) => ({ ...run, failures: failures[run.variant as 'A' | 'B'] }));
  const found = compareExternal([{ ...made, runs }], rules)[0]?.comparisons[0];
  expect(found?.notes).toContainEqual({
    kind: 'more-failures',
    failed: 300,
    requests: 10_000,
    controlFailed: 0,
    controlRequests: 10_000,
  });
});

it.each([
  ['in every round', [60, 45, 70, 52, 73], 1],
  ['in one burst', [0, 0, 300, 0, 0], 0],
])('of rounds marks more failures where they hold over rounds: %s', (_, counts, marks) => {
  const made = group({ values: { A: [100, 101, 99, 100, 100], B: [100, 99, 101, 100, 100] } });
  const failed = (place: string) => (place.startsWith('B') ? (counts[Number(place.slice(1))] ?? 0) : 0);
  const runs = made.runs.map((run) => ({ ...run, failures: { count: failed(run.place), among: 10_000 } }));
  const found = compareExternal([{ ...made, runs }], rules)[0]?.comparisons[0];
  expect(found?.notes.filter(({ kind }) => kind === 'more-failures')).toHaveLength(marks);
});

it.each([
  ['in turn', [1, 1, 1, 1, 1]],
  ['one run', [1]],
])('compares nothing of a command that failed, however fast that was: %s', (_, values) => {
  const made = group({ values: { A: values, B: values.map((value) => value / 40) } });
  const runs = made.runs.map((run) => ({
    ...run,
    failures: { count: run.place === 'B0' ? 1 : 0, among: 3, ofCommands: true } as const,
  }));
  const among = 3 * values.length;
  expect(compareExternal([{ ...made, runs }], rules)[0]?.comparisons[0]).toMatchObject({
    deltaPercent: null,
    interval: null,
    verdict: 'noise',
    notes: [{ kind: 'failed-commands', variant: 'B', failed: 1, among }],
  });
});

it('compares nothing of a run whose clients ended early, and says how many', () => {
  const made = group({ values: { A: [100, 101, 99, 100, 100], B: [300, 299, 301, 300, 300] } });
  const aborted = { count: 3, among: 4, ofClients: true } as const;
  const runs = made.runs.map((run) => ({
    ...run,
    failures: run.place === 'B0' ? aborted : { count: 0, among: 24_366 },
  }));
  const found = compareExternal([{ ...made, runs }], rules);
  const note = { kind: 'failed-commands', variant: 'B', failed: 3, among: 4, of: 'clients' } as const;
  expect(found[0]?.comparisons[0]).toMatchObject({ deltaPercent: null, interval: null, notes: [note] });
});

it('raises few false alarms on a machine that drifts: at most 5 % of 400 sessions of equal variants', () => {
  const random = createRandom(16);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  let alarms = 0;
  for (let session = 0; session < 400; session++) {
    let level = 100;
    const values: Record<'A' | 'B', number[]> = { A: [], B: [] };
    for (let round = 0; round < 6; round++) {
      level *= Math.exp(0.05 * normal());
      for (const variant of round % 2 === 0 ? (['A', 'B'] as const) : (['B', 'A'] as const)) {
        values[variant].push(level * Math.exp(0.03 * normal()));
      }
    }
    const verdict = only({ values }, { plannedRounds: 6 })?.verdict;
    if (verdict === 'higher' || verdict === 'lower') alarms++;
  }
  expect(alarms).toBeLessThanOrEqual(20);
});

it('numbers from one end of the scale to the other have changes that JSON can hold', () => {
  const found = only({
    values: { A: [1e-300, 1e300, 1e-300, 1e300, 1e-300], B: [1e300, 1e-300, 1e300, 1e-300, 1e300] },
  });
  expect(found?.interval?.every(Number.isFinite)).toBe(true);
});
