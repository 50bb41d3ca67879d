import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentProgress } from '../../../src/cli/progress/progress.ts';
import { plainProgress } from '../../../src/cli/progress/progress-for.ts';
import { terminalProgress } from '../../../src/cli/progress/terminal.ts';
import type { OpenEstimate } from '../../../src/journal/open-estimate.ts';
import type { ConditionsRecord } from '../../../src/journal/pass-records.ts';
import type { RunEvent } from '../../../src/measure/run/events.ts';

const lengths = (round: number): RunEvent => ({
  kind: 'lengths',
  lengths: {
    type: 'lengths',
    round,
    warmups: [{ requests: 4500, mostMs: 15_000 }],
    besideMs: 30_000,
    levels: [
      { load: { connections: 1 }, sliceMs: 3190, withinPerS: 0.001, between: 0.0004 },
      { load: { connections: 25 }, sliceMs: 4400, withinPerS: 0.002, between: 0.0004 },
    ],
  },
});

const run: RunEvent[] = [
  { kind: 'preparing', message: 'starting Postgres' },
  { kind: 'run-started', folder: 'results/x', arms: 5, cells: 12 },
  { kind: 'round-started', round: 2, rounds: 7, passes: 3, leftMs: 370_000 },
  { kind: 'pass-started', pass: 0, load: { connections: 25 }, arms: 5, turnMs: 364, turnsPerArm: 11 },
  { kind: 'rate', requestsPerSecond: 1204.4 },
];
const ended: RunEvent[] = [
  { kind: 'round-ended', round: 2, durationMs: 80_000, undecided: 4, detectablePercent: null, open: [] },
  { kind: 'round-ended', round: 4, durationMs: 80_000, undecided: 4, detectablePercent: 6.123, open: [] },
  lengths(1),
  lengths(2),
  { kind: 'whole-slices', load: { connections: 50 }, reason: 'idle work', inRound: 3 },
  {
    kind: 'whole-slices',
    load: { connections: 50 },
    reason: 'idle work',
    by: { arm: 'pool=25', laterMs: 31.4, ownMs: 104.2 },
  },
  {
    kind: 'slice-void',
    arm: 'pool=25',
    load: { connections: 25 },
    voided: [{ reason: 'failed requests', found: '2 %' }],
  },
  { kind: 'warning', warning: { kind: 'guard-died' } },
  { kind: 'run-ended', reason: 'budget' },
];

const search: RunEvent[] = [
  {
    kind: 'round-started',
    round: 1,
    rounds: 3,
    passes: 7,
    leftMs: 400_000,
    bounds: { firstRoundMs: [104_000, 296_000], roundMs: [72_000, 250_000] },
  },
  { kind: 'pass-started', pass: 5, load: { rate: 80 }, arms: 3, turnMs: 2000, turnsPerArm: 1 },
  { kind: 'levels-chosen', levels: [{ rate: 80 }, { rate: 95.5 }], leftMs: 60_200, nextMs: [68_000, 75_000] },
  { kind: 'rate', requestsPerSecond: 1.2 },
];

const guardDied =
  'warning: The guard process died; another took its place. If pgsweep is killed too, run pgsweep clean.';

const inWords = [
  'round 4 done in 1 min 20 s: 4 comparisons without a verdict so far; effects of 6.1 % can be seen by now',
  'from here on 4,500 requests of warm-up an arm; the next round has slices of 3.2 s (1 connection), 4.4 s (25 connections)',
  '50 connections: in the rest of round 3 in whole slices, since an arm keeps working in the turns of others',
  '50 connections: from here on in whole slices, since pool=25 keeps working in the turns of others: 31 ms of CPU, beside 100 ms in its own',
  'slice discarded (pool=25, 25 connections): failed requests 2 %',
];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the terminal', () => {
  it('shows how far a bulk load is', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 120 });
    progress.on({ kind: 'round-started', round: 1, rounds: 3, passes: 0, leftMs: null });
    const at = { documents: 1200, total: 9126, documentsPerSecond: 1204.4, leftMs: 6580, unmeasured: true };
    progress.on({ kind: 'bulk-progress', progress: at });
    vi.advanceTimersByTime(300);
    expect(shown.split('\u001b[2K').at(-1)).toBe(
      'round 1/3  unmeasured first load  1,200 of 9,126 documents  1,204 documents/s  7 s left to load',
    );
    shown = '';
    progress.clear();
    expect(shown).toBe('\r\u001b[2K');
    progress.close();
  });

  it('shows the blocks of settings that are switched live', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 120 });
    progress.on({ kind: 'round-started', round: 1, rounds: 4, passes: 2, leftMs: null });
    const load = { connections: 25 };
    progress.on({ kind: 'pass-started', pass: 0, load, arms: 4, turnMs: 150, turnsPerArm: 16, blocks: 8 });
    vi.advanceTimersByTime(300);
    expect(shown.split('\u001b[2K').at(-1)).toBe(
      'round 1/4  pass 1/2  25 connections, 4 settings in 8 blocks of turns of 150 ms',
    );
    progress.close();
  });

  it('says so where a run takes longer than estimated', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 120 });
    progress.on({ kind: 'round-started', round: 6, rounds: 7, passes: 1, leftMs: 1000 });
    vi.advanceTimersByTime(3000);
    expect(shown.split('\u001b[2K').at(-1)).toBe('round 6/7  longer than estimated');
    progress.close();
  });

  it('shows how long a search may take, and once it has found its levels how long that is', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 120 });
    for (const event of search) progress.on(event);
    expect(shown.replaceAll('\r\u001b[2K', '')).toBe(
      'round 1 takes 1 min 40 s to 5 min, each of the next ones 1 min 10 s to 4 min 10 s: the limits are not known yet\n' +
        'looking at 80 requests/s, 95.5 requests/s: about 1 min for the rest of this round, 1 min to 1 min 20 s for each of the next ones\n',
    );
    vi.advanceTimersByTime(300);
    expect(shown.split('\u001b[2K').at(-1)).toBe(
      'round 1/3  pass 6/8  80 requests/s, 3 arms  1 request/s  3 min 30 s left',
    );
    progress.close();
  });

  it('draws round, pass, live rate and time left on one line, over and over', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 120 });
    for (const event of run) progress.on(event);
    vi.advanceTimersByTime(300);
    expect(shown.split('\u001b[2K').at(-1)).toBe(
      'round 2/7  pass 1/3  25 connections, 5 arms in turns of 364 ms  1,204 requests/s  6 min 10 s left',
    );
    shown = '';
    for (const event of ended) progress.on(event);
    progress.close();
    expect(shown.replaceAll('\r\u001b[2K', '')).toBe(
      `round 2 done in 1 min 20 s: 4 comparisons without a verdict so far\n${inWords.join('\n')}\n${guardDied}\ndone: the budget does not allow another round\n`,
    );
    vi.advanceTimersByTime(1000);
    expect(shown.split('\n').at(-1)).toBe('');
  });

  it('says of a pass of whole slices, and of a bulk load, nothing of turns', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 120 });
    progress.on({ kind: 'round-started', round: 1, rounds: 3, passes: 2, leftMs: null });
    const pass = { kind: 'pass-started', pass: 0, load: { connections: 50 }, arms: 5 } as const;
    for (const turns of [
      { turnMs: 4000, turnsPerArm: 1 },
      { turnMs: null, turnsPerArm: null },
    ]) {
      progress.on({ ...pass, ...turns });
      vi.advanceTimersByTime(300);
      expect(shown.split('\u001b[2K').at(-1)).toBe('round 1/3  pass 1/2  50 connections, 5 arms');
    }
    progress.close();
  });

  it('never wraps', () => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), columns: 40 });
    for (const event of run) progress.on(event);
    vi.advanceTimersByTime(300);
    expect(shown.split('\u001b[2K').at(-1)).toHaveLength(39);
    progress.close();
  });
});

const calm: ConditionsRecord = {
  stealShare: 0.044,
  foreignCpuShare: 0.002,
  memoryPressureShare: null,
  ioPressureShare: 0.03,
  tcpSegments: null,
  tcpRetransmits: null,
  listenOverflows: null,
  checkpoints: null,
  autovacuums: null,
};
const openAt = (half: number): OpenEstimate[] => [
  {
    variant: 'pool=25',
    load: { connections: 25 },
    deltaPercent: 0.8,
    interval: [0.8 - half, 0.8 + half],
    roundsNeeded: 9,
  },
  {
    variant: 'pool=50',
    load: { connections: 1 },
    deltaPercent: -2,
    interval: [-2 - half, half - 2],
    roundsNeeded: null,
  },
];
const roundOf = (round: number, half: number, rest: Partial<ConditionsRecord> = {}): RunEvent[] => [
  { kind: 'round-started', round, rounds: 7, passes: 1, leftMs: 370_000 },
  { kind: 'pass-started', pass: 0, load: { connections: 25 }, arms: 5, turnMs: 364, turnsPerArm: 11 },
  { kind: 'pass-ended', load: { connections: 25 }, conditions: { ...calm, ...rest } },
  { kind: 'round-ended', round, durationMs: 80_000, undecided: 2, detectablePercent: 6, open: openAt(half) },
];

describe('open comparisons', () => {
  const screen = (events: readonly RunEvent[], size: { readonly columns?: number; readonly rows?: number }) => {
    let shown = '';
    const progress = terminalProgress({ write: (text: string) => (shown += text), ...size });
    for (const event of events) progress.on(event);
    shown = '';
    vi.advanceTimersByTime(300);
    const drawn = shown;
    shown = '';
    vi.advanceTimersByTime(250);
    progress.close();
    return { lines: drawn.split('\n').map((line) => line.replace('\r\u001b[2K', '')), again: shown };
  };
  const next: RunEvent = { kind: 'round-started', round: 6, rounds: 7, passes: 1, leftMs: 90_000 };
  const events = [...roundOf(4, 9), ...roundOf(5, 7.1, { stealShare: 0.2 }), next];

  it('stand below the line, with their intervals as they narrow, and the machine in the last pass', () => {
    const { lines, again } = screen(events, { columns: 120 });
    expect(lines).toEqual([
      'round 6/7  1 min 30 s left',
      '  machine: cpu steal 20 %, waiting for IO 3 %',
      '  pool=25, 25 connections: +0.8 % [-6.3, +7.9], was [-8.2, +9.8]; 4 more rounds',
      '  pool=50, 1 connection: -2.0 % [-9.1, +5.1], was [-11.0, +7.0]; open',
    ]);
    // Drawn over from the first line on, and gone at the end.
    expect(again.startsWith('\u001b[3A\r\u001b[2Kround 6/7')).toBe(true);
    expect(again.endsWith('\u001b[3A\r\u001b[2K\u001b[0J')).toBe(true);
  });

  it('are drawn on a terminal whose size is not known as on one of 80 columns and 24 rows', () => {
    const usual = screen(events, { columns: 80, rows: 24 });
    expect(screen(events, { columns: 0, rows: 0 })).toEqual(usual);
    expect(screen(events, {})).toEqual(usual);
  });

  it('are as many as fit, and never wrap', () => {
    const { lines } = screen(events, { columns: 40, rows: 4 });
    expect(lines).toHaveLength(3);
    expect(lines.at(-1)).toBe('  and 2 more open');
    const names: RunEvent[] = roundOf(4, 9).map((event) =>
      event.kind === 'round-ended'
        ? { ...event, open: openAt(9).map((one) => ({ ...one, variant: '漢字'.repeat(20) })) }
        : event,
    );
    for (const line of screen(names, { columns: 40 }).lines)
      expect(
        [...line].reduce((sum, character) => sum + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0),
      ).toBeLessThanOrEqual(39);
  });

  it('in a log are one line a round: the widest, and the most that disturbed its passes', () => {
    let shown = '';
    const progress = plainProgress((text) => (shown += text));
    for (const event of roundOf(5, 7.1)) progress.on(event);
    expect(shown.split('\n')[1]).toBe(
      'round 5 done in 1 min 20 s: 2 comparisons without a verdict so far; effects of 6 % can be seen by now; widest pool=25, 25 connections: +0.8 % [-6.3, +7.9]; cpu steal 4.4 %, waiting for IO 3 %',
    );
  });

  it('counts one comparison as one', () => {
    let shown = '';
    const progress = plainProgress((text) => (shown += text));
    for (const event of roundOf(5, 7.1)) progress.on(event.kind === 'round-ended' ? { ...event, undecided: 1 } : event);
    expect(shown).toContain(': 1 comparison without a verdict so far; ');
  });
});

describe('a log', () => {
  it('has a line for what matters and no control characters', () => {
    let shown = '';
    const progress = plainProgress((text) => (shown += text));
    for (const event of [...run, ...ended]) progress.on(event);
    progress.close();
    expect(shown.split('\n')).toEqual([
      'starting Postgres',
      'run folder: results/x (5 arms, 12 cells); its report.html is rewritten after each round',
      'round 2/7  6 min 10 s left',
      'round 2 done in 1 min 20 s: 4 comparisons without a verdict so far',
      ...inWords,
      guardDied,
      'done: the budget does not allow another round',
      '',
    ]);
  });
});

describe('--quiet', () => {
  it('says only what went wrong', () => {
    let shown = '';
    const progress = silentProgress((text) => (shown += text));
    for (const event of [...run, ...ended]) progress.on(event);
    expect(shown).toBe(`${guardDied}\n`);
  });
});
