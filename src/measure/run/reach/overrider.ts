import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isLoopback } from '../../../base/loopback.ts';
import type { Address } from '../../probe/sockets/socket-list.ts';
import { POSTGRES_PORT } from './speaks-postgres.ts';

/** A service that is connected to another Postgres than its copy's. */
export interface Misled {
  /** Where the service runs. */
  readonly cwd: string;
  readonly command: string;
  /** The variable that has its database. */
  readonly variable: string;
  /** The other Postgres: an address, or the path of a Unix socket. */
  readonly other: Address | string;
}

const DOTENV = /^\.env(\.(?!example|sample|template|dist)[\w.-]+)?$/;
const CONFIG =
  /^((orm|typeorm|mikro-orm|knex|drizzle|database|data-source|sequelize|db|config|default|production|application)[\w.-]*)\.(json|[cm]?[jt]s|ya?ml|toml)$|^knexfile\.[cm]?[jt]s$|^schema\.prisma$|^ormconfig/;
/** Folders below the service's in which such files are usual. */
const FOLDERS = ['.', 'config', 'src', 'src/config', 'prisma', 'db'];
const MOST_BYTES = 200_000;

/**
 * Likely reason why a service goes to another Postgres, in a sentence: a line of a dotenv file, a config file, or what a
 * client takes where it is given no host.
 */
export function likelyOverrider(misled: Misled): string {
  const files = filesOf(misled);
  const lines = files.flatMap((file) => (DOTENV.test(file.name) ? variablesIn(file) : []));
  const leads = lines.find(({ value }) => namesOther(value, misled.other));
  const sets = lines.find(({ key }) => key === misled.variable || /^(PG|DB_|POSTGRES)\w*(HOST|PORT|URL)$/.test(key));
  const found = leads ?? sets;
  if (found !== undefined)
    return `Line ${found.line} of ${found.path} sets ${found.key}: remove it, or do not let the file override variables that are set (dotenv: override: false)`;
  const config = files.find(({ name, text }) => !DOTENV.test(name) && namesOther(text, misled.other));
  if (config !== undefined) return `${config.path} names it: have it read ${misled.variable}`;
  const { other } = misled;
  const isDefault =
    typeof other === 'string' || (other.port === POSTGRES_PORT && isLoopback(`http://${bracketed(other.host)}`));
  if (isDefault)
    return `That is where pg and most ORMs connect by default if they get no host: have the service read ${misled.variable}, or name its variable in target.databaseUrlVariable`;
  return `Look for what sets it in the service's code and configuration: it must be what ${misled.variable} has`;
}

interface ConfigFile {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

function filesOf({ cwd, command }: Misled): ConfigFile[] {
  const scripts = command
    .split(/\s+/)
    .flatMap((word) => (/\.[cm]?[jt]sx?$/.test(word) ? [dirname(resolve(cwd, word))] : []));
  const roots = [...new Set([cwd, ...scripts])];
  const folders = new Set(roots.flatMap((root) => FOLDERS.map((folder) => join(root, folder))));
  return [...folders].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => DOTENV.test(name) || CONFIG.test(name))
      .flatMap((name) => readText(join(folder, name), name)),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readText(path: string, name: string): ConfigFile[] {
  try {
    return statSync(path).size > MOST_BYTES ? [] : [{ path, name, text: readFileSync(path, 'utf8') }];
  } catch {
    return [];
  }
}

interface Variable {
  readonly path: string;
  readonly line: number;
  readonly key: string;
  readonly value: string;
}

function variablesIn({ path, text }: ConfigFile): Variable[] {
  return text.split(/\r?\n/).flatMap((row, index) => {
    const [, key, value = ''] = /^\s*(?:export\s+)?([\w.]+)\s*[=:]\s*(.*)$/.exec(row) ?? [];
    return key === undefined ? [] : [{ path, line: index + 1, key, value }];
  });
}

/** True if a text has the port of an address, or the address without one where it is Postgres's own. */
function namesOther(text: string, other: Address | string): boolean {
  if (typeof other === 'string') return text.includes(dirname(other));
  const { host, port } = other;
  if (new RegExp(`(^|[^\\d.])${port}(?!\\d)`, 'm').test(text)) return true;
  return port === POSTGRES_PORT && (text.includes(host) || /postgres(ql)?:\/\/[^\s/]*(@|\/\/)[\w.-]+\//.test(text));
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
