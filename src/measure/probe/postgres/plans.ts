import { type OpenStatements, type StatementsSource, statementsBetween } from '../statements/model.ts';
import { openPgStatMonitor } from '../statements/pg-stat-monitor.ts';
import { openPgStatStatements } from '../statements/pg-stat-statements.ts';
import { shortText } from '../statements/reading.ts';
import { warnOnce } from '../warn-once.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { keepSqlSession, type SqlSession, withSqlSession } from './sql-session.ts';

const MOST_PLANS = 10;
const PLAN_LIMIT_MS = 1000;

/**
 * The plans of the statements that took most time in a slice, seen after it, in the arm's own database: by PREPARE and
 * EXPLAIN EXECUTE of the generic plan, which every version from 12 on can do for a text with $1 in it (EXPLAIN
 * (GENERIC_PLAN) came with 16). Nothing is executed: EXPLAIN without ANALYZE, in a transaction that may only read.
 *
 * It is the plan that a session with the database's settings gets now. A service that sets more for its sessions
 * (`enable_seqscan`, `search_path`) has others, unless the context's `sessionSettings` says so.
 */
export const plans = postgresProbe(
  'plans',
  ({ postgres, sessionSettings = {}, onWarning }) =>
    keepSqlSession(postgres.adminUrl(), async (session) => {
      const source = await firstSource(session, [openPgStatStatements, openPgStatMonitor]);
      if (typeof source === 'string') return `the top statements are not known: ${source}`;
      return {
        begin: beginDifference({
          attempt: warnOnce('plans', onWarning),
          read: ({ database }) => source.read(database),
          async tell(before, after, { arm: { database } }) {
            const top = statementsBetween(before, after).statements.map(({ id }) => id);
            const texts = await source.texts(database, top.slice(0, 2 * MOST_PLANS));
            const wanted = top
              .map((id) => ({ id, text: texts.get(id) ?? '' }))
              .filter(({ text }) => canBeExplained(text))
              .slice(0, MOST_PLANS);
            const rows = await explainAll(postgres.adminUrl(database), wanted, sessionSettings);
            return { values: { plans_seen: rows.length, plans_unknown: wanted.length - rows.length }, rows };
          },
        }),
        close: session.close,
      };
    }),
  { values: ['plans_seen', 'plans_unknown'] },
);

async function firstSource(session: SqlSession, opens: readonly OpenStatements[]): Promise<StatementsSource | string> {
  const reasons: string[] = [];
  for (const open of opens) {
    const source = await open(session);
    if (typeof source !== 'string') return source;
    reasons.push(source);
  }
  return reasons.join('; ');
}

interface KnownStatement {
  readonly id: string;
  readonly text: string;
}

type PlanRow = Readonly<Record<'statement' | 'queryid' | 'shape', string>>;

function explainAll(
  url: string,
  statements: readonly KnownStatement[],
  settings: Readonly<Record<string, string>>,
): Promise<PlanRow[]> {
  return withSqlSession(url, async (session) => {
    // One transaction: each is counted among the arm's own.
    await session.rows('BEGIN READ ONLY');
    const all = { plan_cache_mode: 'force_generic_plan', statement_timeout: String(PLAN_LIMIT_MS), ...settings };
    for (const [name, value] of Object.entries(all))
      await session.rows('SELECT set_config($1, $2, true)', [name, value]);
    const rows: PlanRow[] = [];
    for (const { id, text } of statements) {
      const shape = await explain(session, `pgsweep_plan_${rows.length}`, text);
      if (shape !== null) rows.push({ statement: shortText(text), queryid: id, shape });
    }
    await session.rows('COMMIT');
    return rows;
  });
}

/** The statement's shape; null where its text alone does not make a statement (a literal type before $1, a temporary table). */
async function explain(session: SqlSession, name: string, text: string): Promise<string | null> {
  await session.rows('SAVEPOINT plan');
  try {
    await session.single(`PREPARE ${name} AS ${text}`);
    const [prepared] = await session.rows<{ parameters: number }>(
      'SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name = $1',
      [name],
    );
    const nulls = Array.from({ length: prepared?.parameters ?? 0 }, () => 'NULL').join(', ');
    const [row] = await session.rows<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `EXPLAIN (COSTS OFF, FORMAT JSON) EXECUTE ${name}${nulls && `(${nulls})`}`,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    return plan === undefined ? null : planShape(plan);
  } catch {
    await session.rows('ROLLBACK TO plan');
    return null;
  } finally {
    await session.rows(`DEALLOCATE ${name}`).catch(() => session.rows('ROLLBACK TO plan'));
  }
}

/** A node of EXPLAIN (FORMAT JSON), of which only this is read. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  /** Operation of a node that modifies: Insert, Update, Delete, Merge. */
  readonly Operation?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * A plan as its nodes from the top, each with its table and index: `Nested Loop | Index Scan on aliases using aliases_pkey |
 * Seq Scan on documents`. Without costs and rows, so that two plans are the same when they do the same.
 */
export function planShape(root: PlanNode): string {
  return nodesOf(root).map(nodeName).join(' | ');
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function nodeName(node: PlanNode): string {
  const { 'Relation Name': relation, 'Index Name': index } = node;
  const on = relation === undefined ? '' : ` on ${relation}`;
  const using = index === undefined ? '' : ` using ${index}`;
  return `${node.Operation ?? node['Node Type']}${on}${using}`;
}

/** True if EXPLAIN accepts the statement: others (BEGIN, SET, COPY) have no plan. */
export function canBeExplained(text: string): boolean {
  const bare = text.replace(/^(?:\s|\(|\/\*[\s\S]*?\*\/|--.*(?:\n|$))+/, '');
  return /^(?:select|insert|update|delete|merge|with|values|table)\b/i.test(bare);
}
