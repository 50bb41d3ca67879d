import { addTo } from '../../../base/group-by.ts';
import type { ProbeRecord } from '../../../journal/records.ts';

/** Facts about a cell's statements that only pg_stat_monitor has, added up over its slices. */
export interface Monitored {
  /** By the statement's text; the top ones come first. */
  readonly statements: Map<string, { readonly responseTimes: Map<string, number>; plan: string | null }>;
  /** By the statement's text and SQLSTATE. */
  readonly failures: Map<string, StatementFailure>;
}

export interface StatementFailure {
  readonly statement: string;
  readonly sqlState: string;
  /** The latest. */
  readonly message: string;
  /** Null where they are counted with the calls that did not fail. */
  readonly calls: number | null;
}

/** A journal of many nights must not fill the memory. */
const MOST_MONITORED = 10;
const MOST_FAILURES = 20;

/** Facts of no statement yet. */
export function newMonitored(): Monitored {
  return { statements: new Map(), failures: new Map() };
}

/** Adds a slice's row of the probe: a statement, or one that failed. */
export function addMonitored({ statements, failures }: Monitored, row: NonNullable<ProbeRecord['rows']>[number]): void {
  const { statement, response_times, plan, sqlstate, message, calls } = row;
  if (typeof statement !== 'string') return;
  if (typeof sqlstate === 'string') {
    addFailure(failures, { statement, sqlState: sqlstate, message: String(message ?? ''), calls: numberOf(calls) });
  } else if (typeof response_times === 'string') {
    const known = statements.get(statement) ?? { responseTimes: new Map<string, number>(), plan: null };
    if (!statements.has(statement) && statements.size >= MOST_MONITORED) return;
    statements.set(statement, known);
    for (const [label, count] of classesOf(response_times)) addTo(known.responseTimes, label, count);
    if (typeof plan === 'string') known.plan = plan;
  }
}

/** Adds the facts of another cell. */
export function addAllMonitored(to: Monitored, from: Monitored): void {
  for (const [statement, { responseTimes, plan }] of from.statements) {
    const known = to.statements.get(statement) ?? { responseTimes: new Map<string, number>(), plan };
    to.statements.set(statement, known);
    for (const [label, count] of responseTimes) addTo(known.responseTimes, label, count);
  }
  for (const failure of from.failures.values()) addFailure(to.failures, failure);
}

function addFailure(failures: Map<string, StatementFailure>, failure: StatementFailure): void {
  const key = `${failure.sqlState} ${failure.statement}`;
  const before = failures.get(key);
  if (before === undefined && failures.size >= MOST_FAILURES) return;
  const calls =
    before === undefined || before.calls === null || failure.calls === null
      ? failure.calls
      : before.calls + failure.calls;
  failures.set(key, { ...failure, calls });
}

/** `0 - 1 ms: 40, 1 - 3 ms: 2` */
function classesOf(text: string): (readonly [string, number])[] {
  return text.split(', ').flatMap((part) => {
    const [, label, count] = /^(.+): (\d+)$/.exec(part) ?? [];
    return label === undefined ? [] : [[label, Number(count)] as const];
  });
}

/** Where a class of response times begins: `10 - 100 ms`, `over 100 ms`. */
export function startOf(label: string): number {
  return Number(/[\d.]+/.exec(label)?.[0] ?? Number.POSITIVE_INFINITY);
}

/** A value of a row as a number; null where it is none. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
