import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { WholeSlicesReason } from '../../../src/journal/pass-records.ts';
import type { Note, RunNote, SessionNote } from '../../../src/judge/notes.ts';
import { leftWords, missingWords, notesWords, noteWords } from '../../../src/report/words/note-words.ts';
import { warningWords } from '../../../src/report/words/remedies.ts';

type OfKind<Kind> = Extract<Note, { readonly kind: Kind }>;

/** One note of each kind: a new kind does not compile until it stands here. */
const words: { readonly [Kind in Note['kind']]: readonly [Omit<OfKind<Kind>, 'kind'>, string] } = {
  'not-measured': [{}, 'n/a: not measured'],
  'few-samples': [{ needed: 10_000, samples: 1240 }, 'n/a: needs 10,000 answers of each arm (had 1,240)'],
  quick: [{}, 'quick run: no verdicts'],
  'few-rounds': [{ rounds: 1, needed: 4 }, 'no verdict: 1 round, verdicts need 4'],
  'both-zero': [{}, '0 in every round'],
  'from-zero': [{ value: 4.0075 }, 'n/a (0 -> 4.01)'],
  zeros: [{ zeros: 2, rounds: 5 }, 'no verdict: 0 in 2 of 5 rounds'],
  rare: [{}, 'no verdict: rare'],
  'follows-time': [{ sharePercent: 3.27 }, 'no verdict: 3.3 % depends on time, not on requests'],
  'idle-unknown': [{}, 'no verdict: how much depends on time is not known'],
  'outlast-turns': [
    { byTurnsPercent: -2.41 },
    'answers outlast turns: -2.4 % by the answers that came within turns; the interval covers both',
  ],
  'other-control': [
    {
      control: 'b',
      planned: 'a',
      left: [{ variant: 'c', loads: [{ connections: 25 }, { connections: 50 }] }],
      decided: [{ connections: 1 }],
    },
    'changes are against b, chosen after the run (planned: a): the error of 5 % holds if no result led to the choice, and if you look at several controls, for each alone. Not measured to the end: c (25 and 50 connections), all (1 connection)',
  ],
  'carry-over': [{ percent: 2.5 }, 'no verdict: about 2.50 % carry over from turn to turn'],
  'little-housekeeping': [
    { work: 'autovacuums', needed: 2, variant: 1, control: null },
    'no verdict: needs at least 2 autovacuums of each arm under load (had 1); try a longer load.slice, or a lower autovacuum_naptime or autovacuum_vacuum_scale_factor in all arms',
  ],
  'still-moves': [
    { percent: -9.8, controlPercent: 0.3 },
    'the rate still moves (-9.8 %, the control +0.3 %), so it is not `same`',
  ],
  'page-images': [{ percent: -17.4 }, 'no verdict: full-page images in the WAL may be up to -17.4 % of it'],
  'control-apart': [
    { percent: -14.2, variants: 19 },
    'no verdict: all 19 variants differ from the control by about the same, -14.2 %',
  ],
  'machines-disagree': [
    { machines: 3, p: 0.031 },
    '3 machines disagree (p 0.031): the interval comes from their means',
  ],
  flaky: [
    {
      odd: { side: 'variant', of: 'starts', rate: true, count: 3, among: 15, offPercent: [-38.2, -41.7] },
      p: 0.037,
      meanPercent: -9.82,
      meanInterval: [-15.1, -4.4],
    },
    'Flaky: 3 of 15 starts were 38 to 42 % slower; plain mean -9.8 % [-15, -4]',
  ],
  'mean-differs': [
    {
      odd: { side: 'control', of: 'starts', rate: false, count: 1, among: 12, offPercent: [63.9, 63.9] },
      meanPercent: -4.13,
      meanInterval: [-8.2, 0.3],
    },
    'no verdict: 1 of 12 starts of the control was 64 % higher; plain mean -4.1 % [-8.2, +0.3]',
  ],
  skewed: [
    { end: 'low' },
    'noise is skewed, as by stalls at random times: all rounds count in full, and intervals reach further down',
  ],
  left: [{ after: 6 }, 'left after round 6'],
  'rounds-needed': [{ rounds: 12, most: 40 }, 'would take about 12 rounds'],
  'not-sustained': [
    { unsent: 700, requests: 1700, okPerS: 812 },
    'not sustained: 41 % were not sent, 812.0/s answered',
  ],
  'not-kept': [
    { metric: 'p99_ms', most: 200, range: [231.5, 252] },
    'breaks a limit: p99 232 ms to 252 ms (limit 200 ms)',
  ],
  'more-failures': [
    { failed: 22, requests: 1000, controlFailed: 0, controlRequests: 2000 },
    'more requests failed: 2.2 % (control 0 %)',
  ],
  'more-uncounted-failures': [
    { failed: 61, requests: 1000, controlFailed: 0, controlRequests: 2000 },
    'more requests failed outside what is counted (warm-up, ends of turns): 6.1 % (control 0 %)',
  ],
  'control-fails-more': [
    { failed: 22, requests: 1000, othersFailed: 0, othersRequests: 2000 },
    'more requests of the control failed: 2.2 % (others 0 %)',
  ],
  'control-fails-more-uncounted': [
    { failed: 61, requests: 1000, othersFailed: 1, othersRequests: 2000 },
    'more requests of the control failed outside what is counted (warm-up, ends of turns): 6.1 % (others 0.05 %)',
  ],
  'killed-services': [
    { variants: { 'pool=5': 4, 'pool=10': 1 } },
    'services that did not end on SIGTERM were killed: pool=5 4, pool=10 1',
  ],
  'distance-off': [
    { variant: 'rtt=1ms', askedMs: 1, p50Ms: 1.234, off: 3, looks: 8 },
    'the database of rtt=1ms was 1.23 ms away where 1 ms were asked for, off by more than a tenth (of it, or of a millisecond) in 3 of 8 looks',
  ],
  'link-busy': [
    { variant: 'rtt=1ms', cpus: 0.951 },
    'what stands between the service of rtt=1ms and its database used 0.95 CPUs, and may have been the limit',
  ],
  'lost-documents': [
    { loaded: 99_999, documents: 100_000, controlLoaded: 200_000, controlDocuments: 200_000 },
    'loaded 99.99 % of the documents (control 100 %)',
  ],
  'database-differs': [
    { missing: 3, unexpected: 0, doubled: 2, dangling: 0 },
    '3 accepted documents are not in the database, 2 documents or aliases are there twice',
  ],
  'control-lost-documents': [
    { loaded: 900, documents: 1000, othersLoaded: 3000, othersDocuments: 3000 },
    'the control loaded 90 % of the documents (others 100 %)',
  ],
  'control-database-differs': [
    { missing: 0, unexpected: 1, doubled: 0, dangling: 4 },
    'of the control, 1 documents are in the database that were not accepted, 4 references point to no document',
  ],
  'unequal-voiding': [
    { voided: 12, slices: 36, controlVoided: 0, controlSlices: 48 },
    'discarded unequally: 12 of 36 slices (control 0 of 48)',
  ],
  'not-through': [
    { slices: 1, of: 24 },
    'no verdict: 1 of 24 slices reached load.limit before all requests were answered',
  ],
  'faster-by-loss': [{ control: true }, 'the control was faster with documents lost: no verdict'],
  unfit: [{}, 'unfit: no verdict'],
  'different-sessions': [
    { sessions: 1, needed: 4 },
    'no verdict: different sessions (1 per side, verdicts need 4, made alternately)',
  ],
  'not-in-turn': [{}, 'no verdict: sessions were not made alternately'],
  'one-side-first': [{ side: 'base', pairs: 4, among: 4 }, 'no verdict: base ran first in 4 of 4 pairs of sessions'],
  'no-interval': [
    { side: 'base', notes: [{ kind: 'few-rounds', rounds: 3, needed: 4 }] },
    'no verdict: base has none (no verdict: 3 rounds, verdicts need 4)',
  ],
  'unfit-session': [{}, 'no verdict: a session is unfit'],
  'quick-session': [{}, 'no verdict: a quick run'],
  caveats: [
    {
      side: 'head',
      notes: [{ kind: 'unequal-voiding', voided: 12, slices: 36, controlVoided: 0, controlSlices: 48 }],
    },
    'head: discarded unequally: 12 of 36 slices (control 0 of 48)',
  ],
  'no-variants': [{}, 'there is nothing to choose from'],
  withheld: [{}, 'more rounds would not decide it: no verdict of these settings stands'],
  'none-sustained': [{}, 'no recommendation: no setting sustains it'],
  'limits-unknown': [
    {
      limits: [
        { kind: 'not-kept', metric: 'p99_ms', most: 200, range: null, few: { samples: 1200, needed: 5000 } },
        { kind: 'not-kept', metric: 'lag_ms', most: 5, range: null },
      ],
    },
    'no recommendation: p99 not known yet, with 1,200 of 5,000 answers (limit 200 ms) and lag_ms not known (limit 5 ms)',
  ],
  'no-rounds': [{}, 'no round was completed'],
  'too-many-void': [
    {
      voided: 9,
      slices: 24,
      byReason: { 'failed requests': 9, 'littles law': 3 },
      failed: { failed: 3490, requests: 4281, mostly: '429' },
    },
    '9 of 24 slices were discarded: failed requests in 9 (3,490 of 4,281 requests, mostly 429), littles law in 3',
  ],
  'stays-apart': [
    { widerPercent: 83, at: [{ load: { connections: 25 }, interval: [17.04, 25.66] }] },
    'A/A: the two arms of the control stay apart (25 connections: 17.0 to 25.7 %), so something stays with an arm for the whole session: intervals are 83 % wider than their rounds show, and more rounds do not narrow that part',
  ],
  'few-loaded': [
    { load: { connections: 5, of: 'bulk' }, loaded: 80, documents: 1800 },
    'bulk load, 5 connections: only 80 of 1,800 documents were loaded, and every variant lost more than load.maxFailedRate allows',
  ],
  'no-capacity': [
    { variants: ['a', 'b'], outcomes: ['generator', 'unstable'] },
    'the question has no answer for a, b: before any limit was reached, the load generator or the machine was too busy, rounds found loads that are too far apart',
  ],
  journal: [{ text: 'line 7 is broken' }, 'line 7 is broken'],
  'void-included': [{}, 'averages and changes include the discarded slices: too few others are left'],
  'closing-services': [
    { variants: ['b'], all: false },
    'the service of b closes its connections after each answer, so latency includes connecting',
  ],
  'by-autocannon': [
    { cutOff: 25, lost: 1204.5, variants: ['b'] },
    'autocannon sent the load: while the service stalls it sends little, so percentiles hide what users would suffer; requests under way at the end of a slice (up to 25) are counted nowhere; its own results (autocannon/) have latencies in whole milliseconds; it lost up to 1,205 requests a slice on connections that the service of b closed, so its own latencies are too long, and pgsweep leaves these requests out',
  ],
  'idle-instances': [
    { loads: [{ connections: 1 }, { connections: 2 }], instances: 4 },
    '1 connection; 2 connections: fewer than the 4 instances of the service, so the others had no load',
  ],
  'whole-slices': [
    { load: { connections: 25 }, reason: 'idle work', passes: 2, of: 8 },
    '25 connections: arms had whole slices instead of short turns in 2 of 8 passes: an arm kept working in the turns of others',
  ],
  'others-wrote': [
    { load: { connections: 1 }, slices: 9, of: 12 },
    '1 connection: other databases of the Postgres server wrote rows in 9 of 12 slices, which have no WAL bytes',
  ],
  groups: [
    { load: { connections: 1 }, groups: 3 },
    '1 connection: arms took turns in 3 groups, drawn again in each round; changes are against the control of the same group',
  ],
  'control-stands-apart': [
    { load: { connections: 25 }, metrics: ['requests_per_s', 'latency_p50_ms'], percent: -14.2, variants: 19 },
    '25 connections: all 19 variants differ from the control by about the same in 2xx/s, p50 ms (-14.2 %), although they change different things. So the control is what differs, and no verdict stands',
  ],
  'short-warmup': [
    { arm: 'new', load: { connections: 25 }, requests: 3100, wanted: 4500, rounds: 3, of: 6 },
    '25 connections: new got 3,100 warm-up requests instead of 4,500 because it is slow; 3 of 6 rounds had such an arm',
  ],
  'unsteady-rates': [
    {
      trends: [
        { load: { connections: 25 }, variant: null, percent: 5.23, interval: [3.1, 7.4] },
        { load: { connections: 50 }, variant: 'b', percent: -4.12, controlPercent: 0.2, interval: [-6, -2.6] },
      ],
    },
    'the rate still moved after the warm-up: 25 connections: all arms +5.2 % [+3.1, +7.4] over a slice; 50 connections: b -4.1 % over a slice, the control +0.2 %; the change of b depends on how long it runs',
  ],
  housekeeping: [
    {
      settings: ['autovacuum_naptime', 'max_wal_size'],
      needs: [
        { work: 'checkpoints', setting: 'checkpoint_timeout', leastSliceMs: 600_000 },
        { work: 'autovacuums', setting: 'autovacuum_naptime', leastSliceMs: 10_000 },
      ],
    },
    "variants set autovacuum_naptime, max_wal_size, so Postgres's own housekeeping is on, and each arm needs at least two of it under load: two checkpoints take 10 min by checkpoint_timeout; two autovacuums take 10 s by autovacuum_naptime, less where writes force them",
  ],
  shard: [{ index: 3, count: 8 }, 'shard 3 of 8 of a plan, judged alone'],
  'missing-rounds': [
    {
      shards: [
        { shard: 2, rounds: 0, of: 3 },
        { shard: 5, rounds: 1, of: 3 },
      ],
      count: 8,
    },
    'not all rounds of the plan are here: shard 2 is missing, shard 5 has 1 of 3 rounds (of 8 shards)',
  ],
  'machines-differ': [
    { changes: 2, of: 9, machines: 3 },
    "3 machines disagree in 2 of 9 changes, so their intervals come from the machines' means",
  ],
  'expired-sessions': [{ variants: ['a', 'b'] }, 'most failures of a, b are answers with 401 (Unauthorized)'],
  'short-rounds': [
    { rounds: 5, turns: 2, usualTurns: 6, warmupMs: 2500, usualWarmupMs: 5000, roomyBudgetMs: 1_000_000 },
    'slices have 2 turns instead of 6, and 2.5 s of warm-up instead of 5 s: intervals may be up to 1.7 times as wide',
  ],
  'unfinished-round': [{ slices: 1 }, '1 slice of a round that was not completed: not judged'],
  'own-databases': [
    { variants: ['MySQL', 'Redis'], all: false, kept: ['Redis'] },
    'the service of MySQL, Redis has no Postgres of the bench: no counters, statements, WAL or Postgres CPU of it; a database that its command starts is in the CPU of the service; without a reset, data of Redis outside of the process stay from round to round',
  ],
  'no-database-columns': [
    { text: 'Postgres 14.2 keeps them to itself' },
    'no pg_stat_database columns: Postgres 14.2 keeps them to itself',
  ],
  'resumed-elsewhere': [
    { changes: [{ name: 'nodeVersion', before: '20.20.2', after: '24.1.0' }] },
    'the run was resumed elsewhere: nodeVersion 20.20.2 -> 24.1.0',
  ],
};

test.each(Object.entries(words))('%s', (kind, [facts, said]) => {
  expect(noteWords({ kind, ...facts } as Note)).toBe(said);
});

test('limits that no setting keeps, in the unit of each', () => {
  const notKept = [
    { kind: 'not-kept', metric: 'p99_ms', most: 200, range: [210.3, 250] },
    { kind: 'not-kept', metric: 'failed', most: 0.01, range: [0.02, 0.031] },
    { kind: 'not-kept', metric: 'lag_ms', most: 5, range: null },
  ] as const;
  expect(noteWords({ kind: 'none-sustained', nearest: { variant: 'pool=6', notKept } })).toBe(
    'no recommendation: no setting keeps all limits; pool=6 comes nearest, with p99 210 ms to 250 ms (limit 200 ms) and failed requests 2 % to 3.1 % (limit 1 %) and lag_ms not known (limit 5 ms)',
  );
  expect(noteWords(notKept[2])).toBe('may break a limit: lag_ms not known (limit 5 ms)');
});

test('more rounds than the last look has, and a service that closes for all variants', () => {
  expect(noteWords({ kind: 'rounds-needed', rounds: null, most: 40 })).toBe('would take more than 40 rounds');
  expect(noteWords({ kind: 'closing-services', variants: ['a', 'b'], all: true })).toMatch(/^the service closes /);
});

test('a rate that grows is to be warmed for longer, one that falls to be measured for longer', () => {
  const moved = (percent: number) =>
    warningWords({
      kind: 'unsteady-rates',
      trends: [{ load: { connections: 25 }, variant: null, percent, interval: [percent - 2, percent + 2] }],
    });
  expect(moved(20)).toContain('longer load.warmup');
  expect(moved(-20)).toMatch(/longer load\.slice shows how far the rate falls\.$/);
  expect(moved(-20)).not.toContain('load.warmup');
});

test('a warm-up that was short in the only round is not told as one of one', () => {
  const of = { arm: 'new', load: { connections: 1 } };
  const warmup = { kind: 'short-warmup', ...of, requests: 790, wanted: 3000, rounds: 1, of: 1 } as const;
  expect(noteWords(warmup)).toBe('1 connection: new got 790 warm-up requests instead of 3,000 because it is slow');
});

test('a capacity that too few answers hide has the slice that is long enough as its remedy', () => {
  const tooFew = { metric: 'p95_ms', answers: 139, needed: 200, sliceMs: 4000 };
  expect(warningWords({ kind: 'no-capacity', variants: ['k=2'], outcomes: ['not-measured'], tooFew })).toBe(
    'the question has no answer for k=2: a slice had 139 answers at most, and p95_ms needs 200. A load.slice of 4s should give enough.',
  );
  expect(warningWords({ kind: 'no-capacity', variants: ['k=2'], outcomes: ['not-measured'] })).toMatch(
    /for k=2: no slice shows where the limits are\. pgsweep doctor /,
  );
});

test('whole slices have the remedy for their reason, and no other', () => {
  const slices = (reason: WholeSlicesReason) =>
    warningWords({ kind: 'whole-slices', load: { connections: 25 }, reason, passes: 8, of: 8 });
  expect(slices('idle work')).toMatch(/intervals are wider\. A longer load\.slice narrows them\.$/);
  expect(slices('latency')).toMatch(/latency is too long for turns\. A longer load\.slice has room for turns\.$/);
  expect(slices('shared buffers')).toContain('A larger shared_buffers');
});

test('several in a row, and why a number is missing without what differs from arm to arm', () => {
  expect(notesWords([{ kind: 'both-zero' }, { kind: 'few-rounds', rounds: 4, needed: 5 }])).toBe(
    '0 in every round; no verdict: 4 rounds, same needs 5',
  );
  expect(notesWords([{ kind: 'both-zero' }, { kind: 'quick' }])).toBe('0 in every round; quick run: no verdicts');
  expect(missingWords({ kind: 'few-samples', needed: 1000, samples: 7 })).toBe('n/a: needs 1,000 answers of each arm');
});

/** The notes that a run warns with: a kind that is missing, or is no warning, does not compile. */
const warnings: Readonly<Record<(RunNote | SessionNote)['kind'], true>> = {
  'other-control': true,
  'no-rounds': true,
  'too-many-void': true,
  'stays-apart': true,
  'few-loaded': true,
  'no-capacity': true,
  journal: true,
  'killed-services': true,
  'distance-off': true,
  'link-busy': true,
  'void-included': true,
  'closing-services': true,
  'expired-sessions': true,
  'by-autocannon': true,
  'idle-instances': true,
  'whole-slices': true,
  groups: true,
  'others-wrote': true,
  'control-stands-apart': true,
  'short-rounds': true,
  'short-warmup': true,
  'unsteady-rates': true,
  housekeeping: true,
  shard: true,
  'missing-rounds': true,
  'machines-differ': true,
  'unfinished-round': true,
  'own-databases': true,
  'no-database-columns': true,
  'resumed-elsewhere': true,
};

const schema = JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8'));

/** Whether a dotted name is a key of a scenario. */
function isKey(name: string): boolean {
  const found = name.split('.').reduce((node, key) => node?.properties?.[key], schema);
  return found !== undefined;
}

test.each(Object.keys(warnings) as (keyof typeof warnings)[])(
  'the warning %s names a flag, a command or a key of the scenario to try',
  (kind) => {
    const said = warningWords({ kind, ...words[kind][0] } as RunNote | SessionNote);
    const keys = [...said.matchAll(/\b(?:load|target|stack|rounds)(?:\.\w+)+/g)].map(([key]) => key);
    expect(keys.filter((key) => !isKey(key))).toEqual([]);
    expect(said).toMatch(
      /--[a-z]+|pgsweep (?:doctor|merge|sweep|plan)|`connection: close`|\bsweep\b|(?:load|target|stack)\.\w+/,
    );
  },
);

test('load levels that were decided are no arms that lost', () => {
  const left = (variant: string, decided: boolean) => ({
    variant,
    notes: [{ kind: 'left' as const, after: 6, ...(decided && { decided: true as const }) }],
  });
  expect(leftWords([left('pool=2', false), left('pool=5', false)])).toEqual([
    'Left after round 6, worse than another by more than the margin: pool=2, pool=5.',
  ]);
  expect(leftWords([left('pool=2', true), left('pool=5', true)])).toEqual([
    'Decided after round 6, and not measured any more.',
  ]);
});
