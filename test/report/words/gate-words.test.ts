import { describe, expect, test } from 'vitest';
import type { DecisionResult } from '../../../src/judge/verdicts/decision/decision-gate.ts';
import type { ChangeResult, GateResult } from '../../../src/judge/verdicts/gates.ts';
import { gatesTable } from '../../../src/report/tables/gates-table.ts';
import { gateLines, gateReasons } from '../../../src/report/words/gate-words.ts';

const passed: ChangeResult = {
  kind: 'change',
  gate: 'p99_ms < +10%',
  metric: 'latency_p99_ms',
  limitPercent: 10,
  variant: 'pool=25',
  load: { connections: 50 },
  outcome: 'pass',
  failed: false,
  deltaPercent: 2.04,
  interval: [-3.1, 7.6],
  notes: [],
  moreMinutes: null,
};
const failing: ChangeResult = { ...passed, outcome: 'fail', failed: true, deltaPercent: 18, interval: [12.1, 24.9] };
const open: ChangeResult = {
  ...passed,
  variant: 'pool=35',
  outcome: 'unclear',
  failed: true,
  deltaPercent: 6,
  interval: [-3, 15],
  notes: [{ kind: 'rounds-needed', rounds: 12, most: 40 }],
  moreMinutes: 4.2,
};
const missing: ChangeResult = {
  ...open,
  deltaPercent: null,
  interval: null,
  notes: [{ kind: 'few-samples', needed: 10_000, samples: 4213 }],
  moreMinutes: null,
};
const lossy: ChangeResult = {
  ...passed,
  outcome: 'unclear',
  failed: true,
  notes: [{ kind: 'lost-documents', loaded: 900, documents: 1000, controlLoaded: 990, controlDocuments: 1000 }],
};

const taken: DecisionResult = {
  kind: 'decision',
  gate: 'recommended == pool=10',
  variant: 'pool=10',
  load: { connections: 50 },
  outcome: 'pass',
  failed: false,
  recommended: null,
  candidates: ['pool=10'],
  notes: [],
  moreMinutes: null,
};
const other: DecisionResult = {
  ...taken,
  outcome: 'fail',
  failed: true,
  recommended: 'pool=25',
  candidates: ['pool=25'],
};
const ruledOut: DecisionResult = { ...other, recommended: null, candidates: ['pool=25', 'pool=35'] };
const notYet: DecisionResult = {
  ...taken,
  outcome: 'unclear',
  failed: true,
  candidates: ['pool=10', 'pool=25'],
  notes: [{ kind: 'rounds-needed', rounds: 12, most: 40 }],
  moreMinutes: 4.2,
};
const unfit: DecisionResult = { ...notYet, candidates: [], notes: [{ kind: 'unfit' }], moreMinutes: null };

describe('the line of a gate', () => {
  test.each<[string, readonly GateResult[]]>([
    ['Gate p99_ms < +10% passes for its one change.', [passed]],
    ['Gate p99_ms < +10% passes for all 3.', [passed, passed, passed]],
    [
      'Gate p99_ms < +10% fails for pool=25 at 50 connections: +18.0 % [+12.1, +24.9]; passes for 2.',
      [passed, failing, passed],
    ],
    [
      'Gate p99_ms < +10% fails for pool=25 at 50 connections: +18.0 % [+12.1, +24.9], pool=25 at 50 connections: +18.0 % [+12.1, +24.9] and 1 more.',
      [failing, failing, failing],
    ],
    ['Gate p99_ms < +10% is unclear for pool=35 at 50 connections: +6.0 % [-3.0, +15.0].', [open]],
    [
      'Gate p99_ms < +10% is unclear (allowed) for pool=35 at 50 connections: +6.0 % [-3.0, +15.0].',
      [{ ...open, failed: false }],
    ],
    [
      'Gate p99_ms < +10% is unclear for pool=25 at 50 connections: +2.0 % [-3.1, +7.6], but loaded 90 % of the documents (control 99 %).',
      [lossy],
    ],
    [
      'Gate p99_ms < +10% is unclear for pool=35 at 50 connections: n/a: needs 10,000 answers of each arm (had 4,213).',
      [missing],
    ],
    ['Gate recommended == pool=10 passes for its one load level.', [taken]],
    ['Gate recommended == pool=10 passes for all 2.', [taken, taken]],
    ['Gate recommended == pool=10 fails for 50 connections: pool=25 is recommended; passes for 1.', [taken, other]],
    [
      'Gate recommended == pool=10 fails for 50 connections: not decided yet, pool=25 or pool=35, but not pool=10.',
      [ruledOut],
    ],
    ['Gate recommended == pool=10 is unclear for 50 connections: not decided yet, pool=10 or pool=25.', [notYet]],
    [
      'Gate recommended == pool=10 is unclear for 50 connections: pool=5 is recommended, other load levels are not decided yet.',
      [{ ...notYet, recommended: 'pool=5', candidates: ['pool=5'], notes: [] }],
    ],
    ['Gate recommended == pool=10 is unclear for 50 connections: unfit: no verdict.', [unfit]],
  ])('%s', (line, results) => {
    expect(gateLines(results)).toEqual([line]);
  });

  test('shows on which side of its limit an interval ends', () => {
    expect(gateLines([{ ...open, interval: [-3, 9.98] }])[0]).toContain('[-3.00, +9.98]');
    expect(gateLines([{ ...open, interval: [-3, 10] }])[0]).toContain('[-3.0, +10.0]');
  });

  test('is one a gate, in their order', () => {
    const other = { ...passed, gate: 'rps > -5%' };
    expect(gateLines([other, passed, other])).toEqual([
      'Gate rps > -5% passes for all 2.',
      'Gate p99_ms < +10% passes for its one change.',
    ]);
    expect(gateLines([])).toEqual([]);
  });
});

describe('the reasons of gates', () => {
  test('are a line a change, the failed ones first, with what it would take', () => {
    expect(gateReasons([passed, open, missing, failing])).toEqual([
      'gate p99_ms < +10% fails: pool=25, 50 connections: +18.0 % [+12.1, +24.9]',
      'gate p99_ms < +10% is unclear: pool=35, 50 connections: +6.0 % [-3.0, +15.0]; would take about 12 rounds (about 4 more minutes)',
      'gate p99_ms < +10% is unclear: pool=35, 50 connections: n/a: needs 10,000 answers of each arm (had 4,213)',
    ]);
    expect(gateReasons([passed])).toEqual([]);
    expect(gateReasons([taken, notYet, other])).toEqual([
      'gate recommended == pool=10 fails: 50 connections: pool=25 is recommended',
      'gate recommended == pool=10 is unclear: 50 connections: not decided yet, pool=10 or pool=25; would take about 12 rounds (about 4 more minutes)',
    ]);
  });

  test('are no flood', () => {
    const lines = gateReasons(Array.from({ length: 250 }, () => failing));
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('gate p99_ms < +10%: 230 more are in summary.json');
  });

  test('hold nothing that a terminal would obey', () => {
    expect(gateReasons([{ ...failing, variant: 'x\u001b[2J\ny' }])).toEqual([
      expect.stringContaining('x\\u001b[2J\\u000ay'),
    ]);
  });
});

test('a table has what does not pass, and there is none where all do', () => {
  expect(gatesTable([passed])).toBeNull();
  expect(gatesTable([])).toBeNull();
  expect(gatesTable([taken])).toBeNull();
  expect(gatesTable([other])?.rows.map((row) => row.map(({ text }) => text))).toEqual([
    ['recommended == pool=10', 'pool=10', '50 connections', 'pool=25 is recommended', 'fail', ''],
  ]);
  expect(gatesTable([passed, open, failing])?.rows.map((row) => row.map(({ text }) => text))).toEqual([
    ['p99_ms < +10%', 'pool=25', '50 connections', '+18.0 % [+12.1, +24.9]', 'fail', ''],
    [
      'p99_ms < +10%',
      'pool=35',
      '50 connections',
      '+6.0 % [-3.0, +15.0]',
      'unclear',
      'would take about 12 rounds (about 4 more minutes)',
    ],
  ]);
});
