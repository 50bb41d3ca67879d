import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTextUpTo } from '../../base/files/read-text.ts';
import { scriptParts } from '../../base/files/sql-script.ts';

/** A role for the service, and the SQL file that wants one. */
export interface RoleOffer {
  readonly role: string;
  /** From the folder that was looked at. */
  readonly file: string;
  /** True if the file creates the role. */
  readonly isMade: boolean;
  /** True if the file has policies of row-level security, which no superuser is subject to. */
  readonly hasPolicies: boolean;
}

/** Folders in which a service's SQL is usual. */
const FOLDERS = ['.', 'sql', 'db', 'database', 'schema', 'migrations', 'db/migrations'];
const MOST_BYTES = 2_000_000;
/** The role where a file has policies and names none. */
const USUAL = 'app';

const NAME = '("(?:[^"]|"")+"|[a-z_][\\w$]*)';
const makesRole = new RegExp(`\\bcreate\\s+(?:role|user)\\s+${NAME}([^;]*)`, 'gi');
const hasPolicy = /^(create\s+policy\b|alter\s+table\b[\s\S]*\b(enable|force)\s+row\s+level\s+security\b)/i;
const grantsTo = new RegExp(`^(?:grant\\s[\\s\\S]*\\son\\s|create\\s+policy\\s)[\\s\\S]*\\sto\\s+${NAME}`, 'i');

/** The first role that SQL files in a folder, or in the usual ones below, ask for; null where none has roles or policies. */
export function roleOfferIn(folder: string): RoleOffer | null {
  for (const below of FOLDERS) {
    for (const name of namesIn(join(folder, below)).filter((one) => /\.sql$/i.test(one))) {
      const file = join(below, name);
      const offer = offerOf(textOf(join(folder, file)));
      if (offer !== null) return { ...offer, file };
    }
  }
  return null;
}

/** The role that one file wants: the first that it makes with a login, else the first that it makes, else the first that it grants to. */
function offerOf(text: string): Omit<RoleOffer, 'file'> | null {
  const statements = statementsOf(text);
  const made = statements
    .filter((one) => /^(create|do)\b/i.test(one))
    .flatMap((one) => [...one.matchAll(makesRole)])
    .map(([all, name = '', options = '']) => ({
      name: unquoted(name),
      logsIn: /\buser\s/i.test(all) || /\blogin\b/i.test(options),
    }));
  const hasPolicies = statements.some((one) => hasPolicy.test(one));
  if (made.length === 0 && !hasPolicies) return null;
  const isMade = made.length > 0;
  const own = made.find(({ logsIn }) => logsIn) ?? made[0];
  const given = statements.map((one) => unquoted(grantsTo.exec(one)?.[1] ?? '')).find((name) => name !== '');
  const role = own?.name ?? (given === undefined || given === 'public' ? USUAL : given);
  return { role, isMade, hasPolicies };
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
}

function statementsOf(text: string): string[] {
  try {
    return scriptParts(text).flatMap((part) => (part.kind === 'statement' ? [text.slice(part.head, part.end)] : []));
  } catch {
    // A sweep will say what is wrong with it.
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readTextUpTo(file, MOST_BYTES);
  } catch {
    return '';
  }
}
