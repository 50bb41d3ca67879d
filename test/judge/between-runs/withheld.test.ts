import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/judge/between-runs/compare-runs.ts';
import { changeKey, sessionFacts } from '../../../src/judge/between-runs/session-facts.ts';
import type { ChangeDifference, SessionChange, SessionFacts } from '../../../src/judge/between-runs/types.ts';
import type { ComparisonNote } from '../../../src/judge/notes.ts';
import type { MetricName } from '../../../src/judge/read/metrics/metrics.ts';
import { type GateOutcome, parseGate } from '../../../src/judge/verdicts/gate.ts';
import { judgeChanges } from '../../../src/judge/verdicts/gates.ts';
import { type SessionOptions, session, sessionJournal } from './sessions.ts';

const load = { connections: 25 };

function changeOf(base: SessionFacts, head: SessionFacts, metric: MetricName = 'requests_per_s'): ChangeDifference {
  const { changes } = compareRuns({ base: [base], head: [head] }, { plannedSessions: null });
  const found = changes.find((one) => one.metric === metric);
  if (found === undefined) throw new Error(`no change of ${metric}`);
  return found;
}

function outcomeOf(text: string, { differencePercent, ...change }: ChangeDifference): GateOutcome | undefined {
  const gated = { ...change, deltaPercent: differencePercent, evidence: null };
  return judgeChanges([gated], { gates: [parseGate(text)], unclear: 'fail', roundMs: null })[0]?.outcome;
}

function ownOf({ changes }: SessionFacts, metric: MetricName = 'requests_per_s'): SessionChange {
  const own = changes.get(changeKey('b', load, metric));
  if (own === undefined) throw new Error(`no change of ${metric}`);
  return own;
}

function kindsOf(facts: SessionFacts): ComparisonNote['kind'][] {
  return ownOf(facts).comparison.notes.map(({ kind }) => kind);
}

/** A session with another change of b by 2xx/s. */
function withChange(facts: SessionFacts, changed: (own: SessionChange) => SessionChange): SessionFacts {
  const changes = new Map(facts.changes);
  changes.set(changeKey('b', load, 'requests_per_s'), changed(ownOf(facts)));
  return { ...facts, changes };
}

/** Rounds of b whose start is slow by 40 %. */
const slowIn =
  (isSlow: (round: number) => boolean): NonNullable<SessionOptions['effect']> =>
  ({ variant, round }) =>
    variant === 'b' && isSlow(round) ? Math.log(0.6) : 0;

const usual = session('usual', { rounds: 15 });

describe('a change that its session does not call the same', () => {
  it('is not the same in both, and passes no gate: a variant is flaky in one', () => {
    // Of two arms alone neither shows how noisy the other is.
    const arms = { variants: ['a', 'b', 'c', 'd', 'e'], rounds: 15 };
    const calm = session('calm', arms);
    const flaky = session('flaky', { ...arms, hour: 1, effect: slowIn((round) => round % 5 === 2) });
    expect(kindsOf(flaky)).toContain('flaky');
    const change = changeOf(calm, flaky);
    // By the typical start there is next to nothing between them.
    expect(Math.abs(change.differencePercent ?? 100)).toBeLessThan(4);
    expect(change.verdict).toBe('noise');
    expect(change.notes).toMatchObject([{ kind: 'caveats', side: 'head', notes: [{ kind: 'flaky' }] }]);
    expect(outcomeOf('rps > -30%', change)).toBe('unclear');
    const other = changeOf(calm, session('calm as well', { ...arms, hour: 1 }));
    expect([other.verdict, outcomeOf('rps > -30%', other)]).toEqual(['same', 'pass']);
  });

  it.each([
    ['mean-differs', { odd: null, meanPercent: -4, meanInterval: null }],
    ['still-moves', { percent: 9, controlPercent: 0 }],
  ] as const)('is not the same in both, and passes no gate: %s', (kind, facts) => {
    const note = { kind, ...facts } as ComparisonNote;
    const noted = withChange(session('noted', { hour: 1, rounds: 15 }), ({ comparison, estimate }) => ({
      comparison: { ...comparison, notes: [note] },
      estimate,
    }));
    const change = changeOf(noted, usual);
    expect(change).toMatchObject({ verdict: 'noise', notes: [{ kind: 'caveats', side: 'base', notes: [note] }] });
    expect(outcomeOf('rps > -30%', change)).toBe('unclear');
  });

  it('must be the same by the plain mean too, where one odd start moves it and proves nothing', () => {
    const odd = session('odd', { hour: 1, rounds: 8, effect: slowIn((round) => round === 3) });
    const typical = withChange(odd, ({ comparison, estimate }) => {
      const { inFull: _, ...rest } = estimate ?? { value: Number.NaN, variance: 0, df: 1 };
      return { comparison: { ...comparison, notes: [] }, estimate: rest };
    });
    const beside = withChange(odd, (own) => ({ ...own, comparison: { ...own.comparison, notes: [] } }));
    const [known, blind] = [changeOf(usual, beside), changeOf(usual, typical)];
    expect(known.differencePercent).toBe(blind.differencePercent);
    expect(blind.bounds?.own[0]).toBeGreaterThan(-5);
    expect(known.bounds?.own[0]).toBeLessThan(-8);
    expect([blind.verdict, known.verdict]).toEqual(['same', 'noise']);
  });

  it('is not the same after four rounds', () => {
    const after = (rounds: number): ChangeDifference => {
      const [base, head] = [0, 1].map((hour) => session(`${rounds} ${hour}`, { rounds, hour, noise: 0.001 }));
      if (base === undefined || head === undefined) throw new Error('two sessions');
      return changeOf(base, head);
    };
    expect([4, 5].map((rounds) => after(rounds).verdict)).toEqual(['noise', 'same']);
  });
});

describe('a change that is off by what no round shows', () => {
  it('differs only where it does however far it is off', () => {
    const faster = session('faster', { hour: 1, effect: ({ variant }) => (variant === 'b' ? 0.2 : 0) });
    expect(changeOf(usual, faster).verdict).toBe('higher');
    const offBy = (low: number, high: number): SessionFacts =>
      withChange(faster, ({ comparison, estimate }) => ({
        comparison,
        estimate: estimate && { ...estimate, off: { low, high } },
      }));
    expect(changeOf(usual, offBy(-0.1, 0)).verdict).toBe('higher');
    expect(changeOf(usual, offBy(-0.25, 0)).verdict).toBe('noise');
    expect(changeOf(usual, offBy(0, 0.25)).verdict).toBe('higher');
    expect(changeOf(offBy(-0.25, 0), usual).verdict).toBe('noise');
    expect(outcomeOf('rps > 0%', changeOf(usual, offBy(-0.25, 0)))).toBe('unclear');
  });

  it('of WAL bytes is that by which images of pages may explain it', () => {
    const IMAGES = 1000;
    const PER_SLICE = 5000;
    const wal = (name: string, factor: number): SessionFacts =>
      sessionFacts(
        name,
        sessionJournal(name, {
          hour: factor,
          requestsPerSecond: 125,
          connections: [25],
          effect: ({ variant }) => (variant === 'b' ? Math.log(factor) : 0),
          work: ({ variant }) => {
            const requests = PER_SLICE * (variant === 'b' ? factor : 1);
            return { serviceCpuMs: 1, postgresCpuMs: 1, walBytes: 500 + (7900 * IMAGES) / requests };
          },
          probes: () => ({ 'pg-stat-statements': { statement_wal_images: IMAGES } }),
        }),
      );
    const [alike, faster] = [wal('alike', 1), wal('images', 1.3)];
    const { off } = ownOf(faster, 'wal_bytes_per_request').estimate ?? {};
    // 1,580 of 2,080 bytes are images: 365 fewer a request of the faster variant.
    expect(off?.low).toBe(0);
    expect(off?.high).toBeGreaterThan(0.15);
    expect(off?.high).toBeLessThan(0.35);
    const change = changeOf(alike, faster, 'wal_bytes_per_request');
    expect(change.differencePercent).toBeLessThan(-10);
    expect(change.verdict).toBe('noise');
  });
});
