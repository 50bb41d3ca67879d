import type { LeftOut } from '../../journal/run/provenance-record.ts';

/** Facts about the server that a dump may depend on; a role is known once it is made. */
export interface ServerKnows {
  readonly settings: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

const NAME = '("(?:[^"]|"")+"|[a-z_\\x80-\\uffff][\\w$\\x80-\\uffff]*)';
const NAMES = `(${NAME}(?:\\s*,\\s*${NAME})*)`;
const setting = new RegExp(`^set\\s+(?:session\\s+|local\\s+)?${NAME}\\s*(?:=|\\sto\\s)`, 'i');
const owner = new RegExp(`^alter\\s[\\s\\S]*\\sowner\\s+to\\s+${NAME}\\s*;?\\s*$`, 'i');
const privileges = /^(?:grant|revoke|alter\s+default\s+privileges)\s/i;
const grantee = new RegExp(`\\s(?:to|from|for\\s+role|for\\s+user|granted\\s+by)\\s+(?:group\\s+)?${NAMES}`, 'gi');
/** `GRANT reader TO app`: without ON both are roles. */
const membership = new RegExp(
  `^(?:grant|revoke)\\s+(?:(?:admin|inherit|set)\\s+option\\s+for\\s+)?${NAMES}\\s+(?:to|from)\\s`,
  'i',
);
const eachName = new RegExp(NAME, 'gi');

/** Roles that a statement gives something to, or takes it from. */
function rolesIn(statement: string): string[] {
  const owned = owner.exec(statement)?.[1];
  if (owned !== undefined) return [unquoted(owned)];
  if (!privileges.test(statement)) return [];
  const lists = [membership.exec(statement)?.[1], ...[...statement.matchAll(grantee)].map(([, names]) => names)];
  return lists.flatMap((names) => [...(names ?? '').matchAll(eachName)].map(([name]) => unquoted(name)));
}

/** Reason why a statement of a dump is not run: something that this Postgres lacks, or a schema that is there. */
export type Reason = Omit<LeftOut, 'file'> | 'is there';

/** Null where nothing keeps it. */
export function reasonToLeaveOut(statement: string, { settings, roles }: ServerKnows): Reason | null {
  const set = setting.exec(statement)?.[1];
  if (set !== undefined) {
    const name = unquoted(set);
    return settings.has(name) || hiddenSettings.includes(name) ? null : { kind: 'setting', name };
  }
  if (/^create\s+schema\s+"?public"?\s*;?\s*$/i.test(statement)) return 'is there';
  const unknown = rolesIn(statement).find((name) => !roles.has(name) && !specialRoles.includes(name));
  return unknown === undefined ? null : { kind: 'role', name: unknown };
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
