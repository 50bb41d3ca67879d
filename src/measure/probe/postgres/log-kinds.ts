/** A message of the server's log, of one kind. */
export interface LogKind {
  readonly severity: Severity;
  /** Null where log_line_prefix has no %e. */
  readonly sqlState: string | null;
  /** The message without what differs from time to time: values, numbers. */
  readonly message: string;
  /** The statement that failed, without its values; absent where the log does not name it. */
  readonly statement?: string;
  readonly count: number;
}

const severities = ['WARNING', 'ERROR', 'FATAL', 'PANIC'] as const;

export type Severity = (typeof severities)[number];

function isSeverity(label: string): label is Severity {
  return severities.some((one) => one === label);
}

interface NamedKind {
  /** The name of the value that counts it. */
  readonly value: string;
  readonly message: RegExp;
  /** Where the state means nothing else; it holds in every language. */
  readonly sqlState?: string;
}

/**
 * Kinds that findings ask for. The messages are English, as the bench's own server writes them (it has its own LC_ALL).
 * 25001 and 25P01 also mean `VACUUM cannot run inside a transaction block` and `SET LOCAL can only be used in transaction
 * blocks`, which a request does all by itself: there the message decides.
 */
const namedKinds: readonly NamedKind[] = [
  { value: 'log_lock_not_available', message: /^could not obtain lock/ },
  { value: 'log_lock_timeouts', message: /due to lock timeout/ },
  { value: 'log_deadlocks', message: /^deadlock detected/, sqlState: '40P01' },
  { value: 'log_serialization_failures', message: /^could not serialize access/, sqlState: '40001' },
  { value: 'log_statement_timeouts', message: /due to statement timeout/ },
  { value: 'log_transaction_open', message: /^there is already a transaction in progress/ },
  { value: 'log_no_transaction', message: /^there is no transaction in progress/ },
  { value: 'log_transaction_aborted', message: /^current transaction is aborted/, sqlState: '25P02' },
  {
    value: 'log_too_many_connections',
    message: /^(sorry, too many clients|remaining connection slots|too many connections)/,
    sqlState: '53300',
  },
  { value: 'log_unique_violations', message: /^duplicate key value/, sqlState: '23505' },
];

/** Names of the values of kinds that findings ask for. */
export const namedValues: readonly string[] = namedKinds.map(({ value }) => value);

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
const MOST_WAITING = 1000;

/** Counts the lines of a log by kind, in bounded memory: what comes after the first hundred kinds is `other`. */
export interface LogCounter {
  line(text: string): void;
  /** Most frequent first. */
  kinds(): readonly LogKind[];
}

/** Where a line comes from, as far as its prefix tells. */
export interface LogOrigin {
  /** Null where log_line_prefix has no %d, or the session has no database yet. */
  readonly database: string | null;
  /** In milliseconds since the epoch; null where the prefix has neither %m nor %n. */
  readonly atMs: number | null;
}

/**
 * For a server with this log_line_prefix, whose log's time zone is this many milliseconds ahead of UTC. Lines that are not
 * accepted are somebody else's.
 */
export function createLogCounter(
  logLinePrefix: string,
  { accepts = () => true, zoneMs = 0 }: { accepts?: (origin: LogOrigin) => boolean; zoneMs?: number } = {},
): LogCounter {
  const counts = new Map<string, LogKind>();
  const readPrefix = prefixReader(logLinePrefix);
  /** By process, its last message, whose statement may follow. */
  const waiting = new Map<string, LogKind>();
  /** Whose statement the lines are that begin with a tab. */
  let further: string | null = null;
  return {
    line(text) {
      if (text.startsWith('\t')) {
        if (further !== null) addStatement(further, text);
        return;
      }
      further = null;
      // Only the first of these in a line is its own: a statement that is quoted in the log may itself speak of errors.
      const match =
        /^(.{0,300}?)\b(LOG|WARNING|ERROR|FATAL|PANIC|STATEMENT|DETAIL|HINT|CONTEXT|NOTICE|INFO|QUERY|LOCATION): {2}(.*)$/.exec(
          text,
        );
      if (match === null) return;
      const [, prefix = '', label = '', message = ''] = match;
      const { sqlState, database, time, process } = readPrefix(prefix);
      if (label === 'STATEMENT' && process !== null && waiting.has(process)) {
        further = process;
        addStatement(process, message);
      }
      if (!isSeverity(label)) return;
      if (process !== null) settle(process);
      if (!accepts({ database, atMs: time === null ? null : atMsOf(time, zoneMs) })) return;
      const kind = { severity: label, sqlState, message: generalMessage(message), count: 1 };
      if (process === null) add(kind);
      else waiting.set(process, kind);
      // Sessions that have ended have no later message.
      if (waiting.size > MOST_WAITING) for (const one of [...waiting.keys()].slice(0, MOST_WAITING / 2)) settle(one);
    },
    kinds() {
      for (const process of [...waiting.keys()]) settle(process);
      return [...counts.values()].sort((a, b) => b.count - a.count);
    },
  };

  function addStatement(process: string, text: string): void {
    const kind = waiting.get(process);
    if (kind === undefined) return;
    const statement = `${kind.statement ?? ''} ${text.trim()}`.trim();
    waiting.set(process, { ...kind, statement: statement.slice(0, 4 * MOST_MESSAGE) });
  }

  function settle(process: string): void {
    const kind = waiting.get(process);
    waiting.delete(process);
    if (kind === undefined) return;
    const { statement } = kind;
    add(statement === undefined ? kind : { ...kind, statement: generalStatement(statement) });
  }

  function add(kind: LogKind): void {
    const key = `${kind.severity} ${kind.sqlState} ${kind.message} ${kind.statement ?? ''}`;
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

interface LinePrefix {
  readonly sqlState: string | null;
  readonly database: string | null;
  readonly time: string | null;
  /** The server's process, of which there is one for each session. */
  readonly process: string | null;
}

/** Escapes of a prefix that are read; other escapes match any text. */
const readEscapes: Readonly<Record<string, string>> = {
  e: '(?<state>[0-9A-Z]{5}) *',
  d: '(?<database>.*?)',
  m: '(?<time>\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}) \\S+',
  p: '(?<process>\\d+) *',
  n: '(?<time>\\d+\\.\\d{3})',
};

/** Reads a line's prefix: nothing of it, where an escape that is read stands twice, or the prefix is another one. */
function prefixReader(logLinePrefix: string): (prefix: string) => LinePrefix {
  const seen = new Set<string>();
  const pattern = logLinePrefix
    .split(/%-?\d*([a-zA-Z%])/g)
    .map((part, index) => {
      // Between the literal parts stand the letters of the escapes.
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      if (part === 'q') return '';
      const name = part === 'n' ? 'm' : part;
      const found = seen.has(name) ? undefined : readEscapes[part];
      seen.add(name);
      return found ?? '.*?';
    })
    .join('');
  const whole = new RegExp(`^${pattern}$`);
  return (prefix) => {
    const { state, database, time, process } = whole.exec(prefix)?.groups ?? {};
    const isNamed = database !== undefined && database !== '' && database !== '[unknown]';
    return {
      sqlState: state ?? null,
      database: isNamed ? database : null,
      time: time ?? null,
      process: process ?? null,
    };
  };
}

/** Reads `2026-01-31 10:00:00.000`, in the log's time zone, or `1769853600.000`. */
function atMsOf(time: string, zoneMs: number): number | null {
  const ms = /^\d+\./.test(time) ? 1000 * Number(time) : Date.parse(`${time.replace(' ', 'T')}Z`) - zoneMs;
  return Number.isFinite(ms) ? ms : null;
}

/** Things of the schema, whose names say what is wrong; other quoted texts are values, or names that differ by arm. */
const named =
  /\b(?:column|relation|table|constraint|index|function|procedure|type|schema|role|extension|sequence|view|trigger|policy|parameter|language|collation|configuration|operator) "(?:[^"]|"")*"/;
const value = /"(?:[^"]|"")*"|'(?:[^']|'')*'/;
const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;
const numeric = /(?<![a-z_])(?:0x[0-9a-f]+|\d+(?:[.,]\d+)*)/;
const inMessage = new RegExp([named, value, uuid, numeric].map(({ source }) => `(${source})`).join('|'), 'gi');

/** A message without values, numbers and places in its statement: `could not obtain lock on row in relation "documents"`. */
export function generalMessage(message: string): string {
  return message
    .replace(/ at character \d+$/, '')
    .slice(0, 4 * MOST_MESSAGE)
    .replace(inMessage, (text, name?: string, quoted?: string) => {
      if (name !== undefined) return text;
      return quoted === undefined ? 'N' : `${text[0]}…${text[0]}`;
    })
    .trim()
    .slice(0, MOST_MESSAGE);
}

const inStatement = new RegExp(
  `("(?:[^"]|"")*"|\\$\\d+)|('(?:[^']|'')*')|(?:${uuid.source})|(?:${numeric.source})`,
  'gi',
);

/** A statement without its values, in one line: `UPDATE items SET hits = hits + N WHERE id = $1`. */
function generalStatement(statement: string): string {
  return statement
    .replace(inStatement, (_, kept?: string, quoted?: string) => kept ?? (quoted === undefined ? 'N' : "'…'"))
    .replace(/\s+/g, ' ')
    .slice(0, MOST_MESSAGE);
}
