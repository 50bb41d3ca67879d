import { pathToFileURL } from 'node:url';
import { markdownTable } from 'markdown-table';
import type { Journal } from '../../src/journal/journal.ts';
import { loadSize } from '../../src/journal/load-level.ts';
import type { JournalRecord, SliceRecord } from '../../src/journal/records.ts';
import type { TurnsRecord } from '../../src/journal/slice-record.ts';
import type { WarmupRecord } from '../../src/journal/uncounted-records.ts';
import { aggregateRun } from '../../src/judge/read/aggregate-run.ts';
import { requestsPerSecond } from '../../src/judge/read/metrics/metrics.ts';
import { unsteadyArms } from '../../src/judge/read/rounds/complete-rounds.ts';
import { looks } from '../../src/judge/stats/looks.ts';
import { median } from '../../src/judge/stats/moments.ts';
import { compareControlArms, compareVariants, type JudgedComparison } from '../../src/judge/verdicts/compare.ts';
import { compareWork } from '../../src/judge/verdicts/compare-work.ts';
import { fixtureJournal, unknownConditions } from '../judge/journal-fixture.ts';
import { ARMS, NO_RECORDINGS, RECORDINGS, readTurns, sumOf, type Turn } from './recorded-turns.ts';

/** What the judge says of a recording, over all choices of the control's two arms among the five. */
export interface Judged {
  readonly name: string;
  readonly rounds: number;
  /** Choices of two control arms, each a session of three variants under three load levels. */
  readonly sessions: number;
  readonly comparisons: number;
  /** `higher` or `lower` in 2xx/s: all arms are alike, so each is false. */
  readonly falseVerdicts: number;
  readonly sessionsWithFalse: number;
  /** Sessions in which some look before the last, at which a run may stop, has a false one. */
  readonly falseAtEarlierLooks: number;
  readonly same: number;
  /** Of the intervals, in percent: by load level, and the widest of all. */
  readonly medianHalfWidths: Readonly<Record<string, number>>;
  readonly widest: number;
  /** Sessions in which A/A differs under some load level: their intervals are wider by that. */
  readonly apart: number;
  /** False verdicts in the CPU of a request, and of how many. */
  readonly falseWork: number;
  readonly work: number;
  /** Warm-ups called not steady, of all. */
  readonly notSteady: number;
  readonly warmups: number;
}

/** Judges a recording as if it were a run, with every pair of its arms as the control. Null where it is not there. */
export function judgeRecording(name: string, folder = RECORDINGS): Judged | null {
  const turns = readTurns(name, folder);
  if (turns === null) return null;
  const pairs = ARMS.flatMap((first) =>
    ARMS.filter((second) => second > first).map((second) => [first, second] as const),
  );
  const sessions = pairs.map((pair) => judgeSessionOf(ended(journalOf(turns, pair))));
  const findings = sessions.flatMap((session) => session.findings);
  const work = sessions.flatMap((session) => session.work).filter(({ interval }) => interval !== null);
  const rounds = [...new Set(turns.map(({ round }) => round))];
  const warmups = rounds.flatMap((round) => warmupsOf(turns, round));
  const notSteady = rounds.flatMap((round) => unsteadyArms(warmupsOf(turns, round)));
  return {
    name,
    rounds: rounds.length,
    sessions: sessions.length,
    comparisons: findings.length,
    falseVerdicts: findings.filter(isMarked).length,
    sessionsWithFalse: sessions.filter((session) => session.findings.some(isMarked)).length,
    falseAtEarlierLooks: pairs.filter((pair) => hasFalseEarlier(turns, pair, rounds)).length,
    same: findings.filter(({ verdict }) => verdict === 'same').length,
    medianHalfWidths: halfWidths(findings),
    widest: Math.max(...findings.map(halfWidth)),
    apart: sessions.filter(({ apart }) => apart).length,
    falseWork: work.filter(isMarked).length,
    work: work.length,
    notSteady: notSteady.length,
    warmups: warmups.length,
  };
}

/** As a run that its budget ended. */
function ended(journal: Journal): Journal {
  return { ...journal, records: [...journal.records, { type: 'end', at: '', reason: 'budget' }] };
}

function hasFalseEarlier(turns: readonly Turn[], pair: readonly [number, number], rounds: readonly number[]): boolean {
  return looks
    .filter((look) => look < rounds.length)
    .some((look) => {
      const first = new Set(rounds.slice(0, look));
      const soFar = turns.filter(({ round }) => first.has(round));
      return compareVariants(aggregateRun(journalOf(soFar, pair)), requestsPerSecond).some(isMarked);
    });
}

interface JudgedSession {
  readonly findings: readonly JudgedComparison[];
  readonly work: readonly JudgedComparison[];
  readonly apart: boolean;
}

function judgeSessionOf(journal: Journal): JudgedSession {
  const data = aggregateRun(journal);
  const findings = compareVariants(data, requestsPerSecond);
  const apart = compareControlArms(data, requestsPerSecond).some(isMarked);
  return { findings, work: compareWork(data), apart };
}

/** The turns under load as the records of a run: two of the arms as the control, the others as variants. */
function journalOf(turns: readonly Turn[], [first, second]: readonly [number, number]): Journal {
  const loaded = turns.filter(({ phase }) => phase === 'load');
  const connections = [...new Set(loaded.map((turn) => turn.connections))].sort((a, b) => a - b);
  const others = ARMS.filter((arm) => arm !== first && arm !== second);
  const variants = ['control', ...others.map((arm) => `arm ${arm}`)];
  const { run } = fixtureJournal({ variants, control: 'control', connections, rounds: 0 });
  const rounds = [...new Set(loaded.map(({ round }) => round))].sort((a, b) => a - b);
  const records = rounds.flatMap((round): JournalRecord[] => {
    const slices = connections.flatMap((count, pass) =>
      ARMS.map((arm): SliceRecord => {
        const own = loaded.filter((turn) => turn.round === round && turn.connections === count && turn.arm === arm);
        const repeat = arm === second;
        const variant = arm === first || repeat ? 'control' : `arm ${arm}`;
        return sliceOf(own, { round, slice: 5 * pass + arm, pass, arm: `arm ${arm}`, variant, repeat });
      }),
    );
    const idles = ARMS.map(
      (arm) => ({ type: 'idle', round, arm: `arm ${arm}`, durationMs: 1000, delta: null, cpuMs: 0 }) as const,
    );
    const passes = connections.map((count, pass) => passOf(round, pass, count));
    const phases = { bootMs: 0, warmupMs: 0, sliceMs: 0, waitMs: 0, stopMs: 0 };
    return [...slices, ...idles, ...passes, { type: 'round', round, startedAt: '', durationMs: 110_000, phases }];
  });
  return { run, records, warnings: [] };
}

type Place = Pick<SliceRecord, 'round' | 'slice' | 'pass' | 'arm' | 'variant' | 'repeat'>;

function sliceOf(turns: readonly Turn[], place: Place): SliceRecord {
  const sum = (pick: (turn: Turn) => number): number => sumOf(turns, pick);
  const answers = (count: number) => ({ statuses: { 200: count }, errors: 0, timeouts: 0 });
  return {
    type: 'slice',
    ...place,
    load: { connections: turns[0]?.connections ?? 0 },
    startedAt: '',
    loadMs: sum((turn) => turn.wall_ms),
    windowMs: sum((turn) => turn.counted_ms),
    turns: turnsRecord(turns),
    outcomes: answers(sum((turn) => turn.counted)),
    bytes: 0,
    latency: { count: 0, meanUs: 0, p50Us: 0, p95Us: 0, p99Us: 0, maxUs: 0, histogram: '' },
    byRequest: {},
    whole: answers(sum((turn) => turn.all)),
    generator: { eventLoopUtilisation: 0, cpuMs: 0 },
    work: {
      serviceCpuMs: sum((turn) => turn.service_cpu_ms),
      postgresCpuMs: sum((turn) => turn.postgres_cpu_ms),
      idleCpuMs: null,
      idleMs: 0,
      walBytes: null,
      tcpSegments: null,
      tcpRetransmits: null,
      listenOverflows: null,
    },
  };
}

/** Rates are made of what was counted in the turns, which all had equally long windows. */
function turnsRecord(turns: readonly Turn[]): TurnsRecord {
  const ok = turns.map(({ counted }) => counted);
  return { turnMs: turns[0]?.wall_ms ?? 0, ok, okByTime: ok, gapMaxMs: 0 };
}

function passOf(round: number, pass: number, connections: number): JournalRecord {
  const turns = { turnMs: 250, turnsPerArm: 16, arms: [], order: [], durationMs: 20_000 };
  return { type: 'pass', round, pass, load: { connections }, ...turns, conditions: unknownConditions };
}

function warmupsOf(turns: readonly Turn[], round: number): WarmupRecord[] {
  return ARMS.map((arm) => {
    const own = turns.filter((turn) => turn.phase === 'warm-up' && turn.round === round && turn.arm === arm);
    const load = { connections: 25 };
    const counts = own.map(({ counted }) => counted);
    return { type: 'warmup', round, arm: `arm ${arm}`, load, durationMs: 9000, outcomes: {}, turns: counts };
  });
}

function isMarked({ verdict }: JudgedComparison): boolean {
  return verdict === 'higher' || verdict === 'lower';
}

function halfWidth({ interval }: JudgedComparison): number {
  return interval === null ? Number.NaN : (interval[1] - interval[0]) / 2;
}

function halfWidths(findings: readonly JudgedComparison[]): Record<string, number> {
  const levels = [...new Set(findings.map(({ load }) => loadSize(load)))];
  return Object.fromEntries(
    levels.map((level) => [
      String(level),
      median(findings.filter(({ load }) => loadSize(load) === level).map(halfWidth)),
    ]),
  );
}

/** `npm run bench:recordings`: prints what the judge says of each recording. */
function main(): void {
  const judged = ['calm', 'disturbed'].flatMap((name) => judgeRecording(name) ?? []);
  if (judged.length === 0) {
    console.log(NO_RECORDINGS);
    return;
  }
  const head = [
    'recording',
    'rounds',
    'false in 2xx/s',
    'at earlier looks',
    'same',
    'A/A differs',
    'median half-width',
    'widest',
    'false in CPU a request',
    'not steady',
  ];
  const rows = judged.map((one) => [
    one.name,
    String(one.rounds),
    `${one.falseVerdicts} of ${one.comparisons} (in ${one.sessionsWithFalse} of ${one.sessions} sessions)`,
    `in ${one.falseAtEarlierLooks} of ${one.sessions} sessions`,
    String(one.same),
    `${one.apart} of ${one.sessions}`,
    Object.entries(one.medianHalfWidths)
      .map(([level, half]) => `${level}: ${half.toFixed(1)} %`)
      .join(', '),
    `${one.widest.toFixed(1)} %`,
    `${one.falseWork} of ${one.work}`,
    `${one.notSteady} of ${one.warmups}`,
  ]);
  console.log(markdownTable([head, ...rows]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
