import type { LeftOut } from '../../journal/run/provenance-record.ts';

/** Facts about the server that a dump may depend on; a role is known once it is made. */
export interface ServerKnows {
  readonly settings: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

const NAME = '("(?:[^"]|"")+"|[a-z_\\x80-\\uffff][\\w$\\x80-\\uffff]*)';
const ROLE = `(?:group\\s+)?${NAME}`;
const ROLES = `(${ROLE}(?:\\s*,\\s*${ROLE})*)`;
const setting = new RegExp(`^set\\s+(?:session\\s+|local\\s+)?${NAME}\\s*(?:=|\\sto\\s)`, 'i');
const owner = new RegExp(`^alter\\s[\\s\\S]*\\sowner\\s+to\\s+${NAME}\\s*;?\\s*$`, 'i');
const privileges = /^(?:grant|revoke|alter\s+default\s+privileges)\s/i;
/** A quoted name comes first, so that words within it are none of the statement's. */
const grantees = new RegExp(`"(?:[^"]|"")+"|\\s(?:to|from|for\\s+role|for\\s+user|granted\\s+by)\\s+${ROLES}`, 'gid');
/** `GRANT reader TO app`: without ON both are roles. */
const members = new RegExp(
  `^(?:grant|revoke)\\s+(?:(?:admin|inherit|set)\\s+option\\s+for\\s+)?${ROLES}\\s+(?:to|from)\\s`,
  'id',
);
const eachRole = new RegExp(ROLE, 'gi');

type ToLeaveOut = Omit<LeftOut, 'file'>;

/** A statement of a dump as it can be run. */
export interface Runnable {
  /** Null where nothing of it can be run, or what it makes is there. */
  readonly statement: string | null;
  /** Settings and roles that this Postgres lacks. */
  readonly leftOut: readonly ToLeaveOut[];
}

/** A statement without what this Postgres lacks: of a GRANT to several roles those that are there keep theirs. */
export function withoutMissing(statement: string, { settings, roles }: ServerKnows): Runnable {
  const set = setting.exec(statement)?.[1];
  if (set !== undefined) {
    const name = unquoted(set);
    const isKnown = settings.has(name) || hiddenSettings.includes(name);
    return isKnown ? { statement, leftOut: [] } : { statement: null, leftOut: [{ kind: 'setting', name }] };
  }
  if (/^create\s+schema\s+"?public"?\s*;?\s*$/i.test(statement)) return { statement: null, leftOut: [] };
  const isMissing = (name: string): boolean => !roles.has(name) && !specialRoles.includes(name);
  const owned = owner.exec(statement)?.[1];
  if (owned !== undefined && isMissing(unquoted(owned)))
    return { statement: null, leftOut: [{ kind: 'role', name: unquoted(owned) }] };
  return owned === undefined && privileges.test(statement)
    ? withoutRoles(statement, isMissing)
    : { statement, leftOut: [] };
}

function withoutRoles(statement: string, isMissing: (role: string) => boolean): Runnable {
  const found = [members.exec(statement), ...statement.matchAll(grantees)];
  const lists = found.map((match) => match?.indices?.[1]).filter((list) => list !== undefined);
  const leftOut: ToLeaveOut[] = [];
  let rest: string | null = statement;
  // Last first: the places of those before it stay.
  for (const [start, end] of lists.reverse()) {
    const named = [...statement.slice(start, end).matchAll(eachRole)];
    const missing = named.map(([, name = '']) => unquoted(name)).filter(isMissing);
    if (missing.length === 0) continue;
    leftOut.unshift(...missing.map((name) => ({ kind: 'role', name }) as const));
    const there = named.filter(([, name = '']) => !isMissing(unquoted(name))).map(([role]) => role);
    rest = rest !== null && there.length > 0 ? `${rest.slice(0, start)}${there.join(', ')}${rest.slice(end)}` : null;
  }
  return { statement: rest, leftOut };
}

/** Settings that pg_settings does not list. */
const hiddenSettings = ['role', 'session_authorization', 'seed'];
const specialRoles = ['public', 'current_user', 'current_role', 'session_user'];

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
}

/** Each thing once, in its order. */
export function eachLeftOut(all: readonly LeftOut[]): LeftOut[] {
  return [...new Map(all.map((one) => [`${one.file}\0${one.kind}\0${one.name}`, one])).values()];
}
