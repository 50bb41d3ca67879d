/** A message of the server's log, of one kind. */
export interface LogKind {
  readonly severity: Severity;
  /** Null where log_line_prefix has no %e. */
  readonly sqlState: string | null;
  /** The message without what differs from time to time: names, numbers. */
  readonly message: string;
  readonly count: number;
}

export type Severity = 'WARNING' | 'ERROR' | 'FATAL' | 'PANIC';

interface NamedKind {
  /** The name of the value that counts it. */
  readonly value: string;
  readonly message: RegExp;
  /** Where the state means nothing else; it holds in every language. */
  readonly sqlState?: string;
}

/** What findings ask for. The messages are English, as the bench's own server writes them (its LC_ALL is its own). */
const namedKinds: readonly NamedKind[] = [
  { value: 'log_lock_not_available', message: /^could not obtain lock/ },
  { value: 'log_lock_timeouts', message: /due to lock timeout/ },
  { value: 'log_deadlocks', message: /^deadlock detected/, sqlState: '40P01' },
  { value: 'log_serialization_failures', message: /^could not serialize access/, sqlState: '40001' },
  { value: 'log_statement_timeouts', message: /due to statement timeout/ },
  { value: 'log_transaction_open', message: /^there is already a transaction in progress/, sqlState: '25001' },
  { value: 'log_no_transaction', message: /^there is no transaction in progress/, sqlState: '25P01' },
  { value: 'log_transaction_aborted', message: /^current transaction is aborted/, sqlState: '25P02' },
  {
    value: 'log_too_many_connections',
    message: /^(sorry, too many clients|remaining connection slots|too many connections)/,
    sqlState: '53300',
  },
  { value: 'log_unique_violations', message: /^duplicate key value/, sqlState: '23505' },
];

/** How many messages there were of each kind that findings ask for, by value name. */
export function namedCounts(kinds: readonly LogKind[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    namedKinds.map(({ value, message, sqlState }) => [
      value,
      kinds
        .filter((kind) => message.test(kind.message) || (sqlState !== undefined && kind.sqlState === sqlState))
        .reduce((sum, { count }) => sum + count, 0),
    ]),
  );
}

const MOST_KINDS = 100;
const MOST_MESSAGE = 200;

/** Counts the lines of a log by kind, in bounded memory: what comes after the first hundred kinds is `other`. */
export interface LogCounter {
  line(text: string): void;
  /** Most frequent first. */
  kinds(): readonly LogKind[];
}

/** For a server with this log_line_prefix. */
export function createLogCounter(logLinePrefix: string): LogCounter {
  const counts = new Map<string, LogKind>();
  const statePattern = sqlStatePattern(logLinePrefix);
  return {
    line(text) {
      // Details, hints and statements have names of their own, and the further lines of a message begin with a tab.
      const match = /^(?!\t)(.{0,300}?)\b(WARNING|ERROR|FATAL|PANIC): {2}(.*)$/.exec(text);
      if (match === null) return;
      const [, prefix = '', severity = '', message = ''] = match;
      // A statement that is quoted in the log, and itself speaks of errors.
      if (/\b(LOG|STATEMENT|DETAIL|HINT|CONTEXT|NOTICE|INFO|QUERY|LOCATION): {2}/.test(prefix)) return;
      const sqlState = statePattern?.exec(prefix)?.[1] ?? null;
      add({ severity: severity as Severity, sqlState, message: generalMessage(message), count: 1 });
    },
    kinds: () => [...counts.values()].sort((a, b) => b.count - a.count),
  };

  function add(kind: LogKind): void {
    const key = `${kind.severity} ${kind.sqlState} ${kind.message}`;
    const seen = counts.get(key);
    if (seen !== undefined) counts.set(key, { ...seen, count: seen.count + 1 });
    else if (counts.size < MOST_KINDS) counts.set(key, kind);
    else {
      const other = { severity: kind.severity, sqlState: null, message: 'other', count: 0 };
      const others = counts.get(`other ${kind.severity}`) ?? other;
      counts.set(`other ${kind.severity}`, { ...others, count: others.count + 1 });
    }
  }
}

/** Finds the SQLSTATE in a line's prefix, where it is; the other escapes may stand for anything. */
function sqlStatePattern(logLinePrefix: string): RegExp | null {
  const escapes = /%-?\d*([a-zA-Z%])/g;
  let found = false;
  const pattern = logLinePrefix
    .split(escapes)
    .map((part, index) => {
      // Between the literal parts stand the letters of the escapes.
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      if (part === 'q') return '';
      if (part !== 'e') return '.*?';
      found = true;
      return '([0-9A-Z]{5}) *';
    })
    .join('');
  return found ? new RegExp(`^${pattern}$`) : null;
}

/** A message without names, values and numbers: `could not obtain lock on row in relation "…"`. */
export function generalMessage(message: string): string {
  return message
    .slice(0, 4 * MOST_MESSAGE)
    .replace(/"(?:[^"]|"")*"/g, '"…"')
    .replace(/'(?:[^']|'')*'/g, "'…'")
    .replace(/\b(?:0x)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, 'N')
    .replace(/\d+(?:[.,]\d+)*/g, 'N')
    .trim()
    .slice(0, MOST_MESSAGE);
}
