import type { JournalSoFar } from '../../journal/journal.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { JournalRecord } from '../../journal/records.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { plainIfMoved } from '../odd-starts.ts';
import { aggregateRun } from '../read/aggregate-run.ts';
import { countOf } from '../read/cells/cell-sample.ts';
import { judgedMetric, loadMetrics } from '../read/metrics/judged-metric.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import { namedMetrics } from '../read/metrics/work-metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { type Evidence, estimateOf, noiseOfEstimate } from '../stats/interval.ts';
import type { Estimate } from '../stats/welch.ts';
import { compareControlArms, compareVariants, type JudgedComparison } from '../verdicts/compare.ts';
import { compareWork } from '../verdicts/compare-work.ts';
import { toComparison } from '../verdicts/comparison.ts';
import { controlArms } from '../verdicts/contrasts.ts';
import { offBy } from '../verdicts/off-by.ts';
import { isUnfitUnder, judgeSession } from '../verdicts/session.ts';
import { withVoidLevels } from '../verdicts/void-levels.ts';
import type { SessionChange, SessionEstimate, SessionFacts, SessionLevels } from './types.ts';

/** The key of a cell of a session. */
export function cellKey(variant: string, load: LoadLevel): string {
  return JSON.stringify([variant, loadKey(load)]);
}

/** The key of a change. */
export function changeKey(variant: string, load: LoadLevel, metric: string): string {
  return JSON.stringify([variant, loadKey(load), metric]);
}

/**
 * Judges a session by itself, as its report does, and keeps what other sessions are compared with: estimates with their
 * noise, and levels. Goes through the journal once.
 */
export function sessionFacts(place: string, { run, records }: JournalSoFar): SessionFacts {
  const seen: Seen = { endMs: Date.parse(run.startedAt), ends: 0, complete: false };
  const fit = aggregateRun({ run, records: watched(records, seen) });
  const data = withVoidLevels(fit);
  const judged = judgedMetric(run.scenario);
  const findings = [
    ...loadMetrics(run.scenario.load).flatMap((metric) => compareVariants(data, metric)),
    ...compareWork(data),
  ];
  const session = judgeSession(data, findings, compareControlArms(data, judged));
  const changes = findings.map((finding): [string, SessionChange] => {
    const comparison = toComparison(data, finding, session);
    const { interval, verdict, notes } = comparison;
    // Where the control stands apart, a verdict that stands beside it is one of a direction and not of a size.
    const isJudged = interval !== null && verdict !== 'unfit' && !notes.some(({ kind }) => kind === 'control-apart');
    return [
      changeKey(finding.variant, finding.load, finding.metric.name),
      { comparison, estimate: isJudged ? estimateIn(data, finding) : null },
    ];
  });
  const startMs = Date.parse(run.startedAt);
  return {
    place,
    run,
    taken: Number.isFinite(startMs) && Number.isFinite(seen.endMs) ? { startMs, endMs: seen.endMs } : null,
    rounds: data.rounds.length,
    course: data.course,
    complete: seen.complete,
    extended: seen.ends > (seen.complete ? 1 : 0),
    unfit: session.reasons,
    changes: new Map(changes),
    levels: new Map(levelsOf(data)),
  };
}

/** True where a session can tell nothing under a load level. */
export function isUnfitFor({ unfit }: Pick<SessionFacts, 'unfit'>, load: LoadLevel): boolean {
  return isUnfitUnder({ reasons: unfit }, load);
}

interface Seen {
  endMs: number;
  ends: number;
  complete: boolean;
}

/** Passes the records on, noting when the last was taken. */
function* watched(records: Iterable<JournalRecord>, seen: Seen): Generator<JournalRecord> {
  for (const record of records) {
    if (record.type === 'round') seen.endMs = later(seen.endMs, Date.parse(record.startedAt) + record.durationMs);
    if (record.type === 'end') {
      seen.endMs = later(seen.endMs, Date.parse(record.at));
      seen.ends++;
    }
    if (record.type === 'end' || record.type === 'resume') seen.complete = record.type === 'end';
    yield record;
  }
}

/** The later of two times; an unreadable one is ignored. */
function later(before: number, ms: number): number {
  return ms > before ? ms : before;
}

function estimateIn(data: RunData, finding: JudgedComparison): SessionEstimate | null {
  const { evidence, metric } = finding;
  const typical = evidence && estimateFrom(evidence);
  if (evidence === null || typical === null) return null;
  const marginPercent = marginOf(metric, marginsOf(data.scenario));
  const plain = plainIfMoved(evidence, Math.log1p(marginPercent / 100));
  const inFull = plain && estimateFrom(plain);
  const off = offBy(data, finding);
  return { ...typical, ...(inFull !== null && { inFull }), ...(off.low < off.high && { off }) };
}

function estimateFrom(evidence: Evidence): Estimate | null {
  const noise = noiseOfEstimate(evidence);
  return noise && { value: estimateOf(evidence), ...noise };
}

const nothing = { ok: 0, notOk: 0, errors: 0, timeouts: 0, unsent: 0 };

function levelsOf(data: RunData): [string, SessionLevels][] {
  const { control, load, variants } = data.scenario;
  return load.levels.flatMap((level) =>
    variants.map(({ name }): [string, SessionLevels] => {
      const cells = name === control ? controlArms(data, level) : [{ variant: name, load: level, repeat: false }];
      const values = namedMetrics.flatMap((metric): [string, number][] => {
        const value = data.valueOverRounds(metric, cells);
        return value === null ? [] : [[metric.name, value]];
      });
      const failures = countOf(data.merged(cells) ?? nothing);
      return [cellKey(name, level), { values: new Map(values), failures }];
    }),
  );
}
