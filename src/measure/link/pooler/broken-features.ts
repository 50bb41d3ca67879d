import { bareStatements } from '../../../base/files/bare-statements.ts';
import type { PoolerMode } from '../../../journal/link/pooler.ts';
import type { SeenStatements } from '../watch/watch-statements.ts';

/** A feature that a pooler cannot offer to a client that does not keep its connection of the database. */
export type BrokenFeature =
  | 'named prepared statements'
  | 'PREPARE'
  | 'transactions'
  | 'SET'
  | 'LISTEN'
  | 'currval, lastval'
  | 'advisory locks'
  | 'temporary tables'
  | 'cursors WITH HOLD'
  | 'LOAD';

/** A feature that a service was seen to use and that its pooler's mode breaks. */
export interface BrokenUse {
  readonly feature: BrokenFeature;
  /** True if requests are sure to fail by it, sooner or later; else the scenario's setting is not the one in use. */
  readonly fails: boolean;
  /** A statement that uses it, as it was sent. */
  readonly statement: string;
}

interface PoolerFacts {
  readonly mode: PoolerMode;
  /** True if it follows prepared statements (max_prepared_statements above 0). */
  readonly keepsPrepared: boolean;
}

/**
 * Features that a service uses and that its pooler's mode breaks, each once, by the statements that the service sent. By
 * PgBouncer's own table (https://www.pgbouncer.org/features.html): none in session mode.
 */
export function brokenUses(
  { statements, named }: Pick<SeenStatements, 'statements' | 'named'>,
  { mode, keepsPrepared }: PoolerFacts,
): BrokenUse[] {
  if (mode === 'session') return [];
  const [prepared] = keepsPrepared ? [] : named;
  const uses: BrokenUse[] =
    prepared === undefined
      ? []
      : [{ feature: 'named prepared statements', fails: true, statement: `${prepared.name}: ${prepared.sql}` }];
  for (const statement of statements) {
    for (const part of bareStatements(statement)) {
      for (const { feature, isUsed, fails, modes } of features) {
        const applies = modes === undefined || modes.includes(mode);
        if (!applies || uses.some((use) => use.feature === feature) || !isUsed(part)) continue;
        uses.push({ feature, fails, statement });
      }
    }
  }
  return uses;
}

interface Feature {
  readonly feature: BrokenFeature;
  readonly fails: boolean;
  /** All but session where left out. */
  readonly modes?: readonly PoolerMode[];
  /** Takes one statement as `bareStatements` has it. */
  isUsed(statement: string): boolean;
}

const matches =
  (pattern: RegExp) =>
  (statement: string): boolean =>
    pattern.test(statement);

const temporary = [
  /^CREATE (OR REPLACE )?(GLOBAL |LOCAL )?TEMP(ORARY)? /i,
  /^CREATE [^(]*\bpg_temp"? ?\./i,
  // A table may be called temp: SELECT 1 INTO temp FROM ..., WITH ... INSERT INTO temp SELECT ...
  /^(SELECT|WITH)\b.*(?<!\b(INSERT|MERGE) )\bINTO (GLOBAL |LOCAL )?TEMP(ORARY)? (?!(FROM|WHERE|GROUP|HAVING|WINDOW|UNION|INTERSECT|EXCEPT|ORDER|LIMIT|OFFSET|FETCH|FOR)\b)["\w]/is,
];

const features: readonly Feature[] = [
  {
    feature: 'transactions',
    fails: true,
    modes: ['statement'],
    isUsed: matches(/^(BEGIN|START\s+TRANSACTION|SAVEPOINT)\b/i),
  },
  { feature: 'PREPARE', fails: true, isUsed: matches(/^PREPARE\s+(?!TRANSACTION\b)/i) },
  { feature: 'SET', fails: false, isUsed: setsForSession },
  { feature: 'LISTEN', fails: false, isUsed: matches(/^LISTEN\b/i) },
  {
    feature: 'currval, lastval',
    fails: false,
    // In one statement with nextval it is of the same connection.
    isUsed: (statement) => /\b(currval|lastval)\s*\(/i.test(statement) && !/\bnextval\s*\(/i.test(statement),
  },
  { feature: 'advisory locks', fails: false, isUsed: matches(/\bpg_(try_)?advisory_lock(_shared)?\s*\(/i) },
  {
    feature: 'temporary tables',
    fails: true,
    isUsed: (statement) =>
      temporary.some((pattern) => pattern.test(statement)) && !/\bON COMMIT DROP\b/i.test(statement),
  },
  { feature: 'cursors WITH HOLD', fails: true, isUsed: matches(/^DECLARE\b.*\bWITH\s+HOLD\b/is) },
  { feature: 'LOAD', fails: false, isUsed: matches(/^LOAD\b/i) },
];

/** Parameters that PgBouncer gives back to each client. */
const followed = ['client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings', 'application_name'];

function setsForSession(statement: string): boolean {
  if (thirdOfSetConfig(statement).some((isLocal) => saysFalse.test(isLocal))) return true;
  const set =
    /^SET (?:SESSION (?!CHARACTERISTICS\b|AUTHORIZATION\b))?(?!LOCAL\b|TRANSACTION\b|CONSTRAINTS\b)"?(\w+)( ZONE\b)?/i.exec(
      statement,
    );
  if (set === null) return false;
  const [, name = '', zone] = set;
  const parameter = zone === undefined ? name.toLowerCase() : 'timezone';
  return parameter !== 'names' && !followed.includes(parameter);
}

const saysFalse = /^(is_local ?(=>|:=) ?)?'?(f|false|n|no|off|0)'?( ?:: ?bool(ean)?)?$/i;

/** The third argument of each set_config in a statement: there may be commas within its other arguments. */
function thirdOfSetConfig(statement: string): string[] {
  return [...statement.matchAll(/\bset_config"? ?\(/gi)].flatMap(({ 0: call, index }) => {
    const args = [''];
    let depth = 0;
    for (const character of statement.slice(index + call.length)) {
      if (character === ')' && depth === 0) break;
      if (/[([]/.test(character)) depth++;
      if (/[)\]]/.test(character)) depth--;
      if (character === ',' && depth === 0) args.push('');
      else args.push(`${args.pop()}${character}`);
    }
    return args[2]?.trim() ?? [];
  });
}
