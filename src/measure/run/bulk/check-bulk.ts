import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { loadTypeScript } from '../../../base/load-typescript.ts';
import type { BulkCheck, BulkRecord } from '../../../journal/bulk-records.ts';
import { bulkModule, isSampleData } from '../../../journal/sample.ts';
import type { BulkCountCheck, BulkSpec } from '../../../journal/scenario-record.ts';
import { rowsOfCheck } from '../../job/check-rows.ts';
import { importExport } from '../../load/module-workload.ts';
import type { BulkCheckFunction, BulkFindings } from '../../load/workload-module.ts';
import { type RunSql, withConnection } from '../../stack/common/query.ts';

const NONE = { missing: 0, unexpected: 0, doubled: 0, dangling: 0 } satisfies BulkCheck;

/**
 * Compares a database with the bulk load into it: by the scenario's count, or else as the data set knows it. Null where
 * neither says how. Its own reads are counted by pg_stat_database like any others, so read an arm's counters before.
 * Throws PgsweepError `stack` where the database cannot be read, `load` where a module's check cannot be used.
 */
export async function checkBulk(spec: BulkSpec, databaseUrl: string, bulk: BulkRecord): Promise<BulkCheck | null> {
  const found = await compare(spec, databaseUrl, bulk);
  const { update, check } = spec;
  return found !== null && update && check?.equals === undefined ? ofBothPasses(found, bulk) : found;
}

/** The first of two passes may have stored what the second one lost: it was accepted, though not in the measured load. */
function ofBothPasses(found: BulkCheck, { documents, loaded }: BulkRecord): BulkCheck {
  return { ...found, unexpected: Math.max(0, found.unexpected - (documents - loaded)) };
}

async function compare({ dataset, check }: BulkSpec, databaseUrl: string, bulk: BulkRecord): Promise<BulkCheck | null> {
  if (check !== undefined) return orUnread(byCount(check, bulk, databaseUrl));
  if (dataset.kind === 'file') return null;
  const { module } = isSampleData(dataset) ? bulkModule(dataset) : dataset;
  if (dataset.kind === 'module') await loadTypeScript();
  const own = await importExport(module, 'check');
  if (typeof own !== 'function') return null;
  const { loaded, byResource } = bulk;
  const ask = async (query: RunSql) => whole(await (own as BulkCheckFunction)({ query, loaded, byResource }), module);
  return orUnread(withConnection(databaseUrl, ask));
}

/** Throws PgsweepError `stack` for any other error. */
function orUnread<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((cause: unknown) => {
    if (cause instanceof PgsweepError) throw cause;
    throw new PgsweepError('stack', `What was loaded cannot be checked: ${messageOf(cause)}`, {
      hint: 'It is load.bulk.check, or check of the module of load.bulk.',
      cause,
    });
  });
}

async function byCount({ sql, equals }: BulkCountCheck, { loaded }: BulkRecord, url: string): Promise<BulkCheck> {
  const rows = await rowsOfCheck(sql, url);
  const [value, ...others] = rows.flat();
  const more = Number(value ?? Number.NaN) - (equals ?? loaded);
  if (others.length > 0 || !Number.isFinite(more))
    throw new PgsweepError('scenario', `load.bulk.check.sql: expected one row with one number from: ${sql}`);
  return { ...NONE, missing: Math.max(0, -more), unexpected: Math.max(0, more) };
}

/** All four counts of what a module has found; null where it had nothing to compare. */
function whole(found: BulkFindings | null | undefined, module: string): BulkCheck | null {
  if (found === null) return null;
  const counts = { ...NONE, ...found };
  const wrong = Object.entries(counts).find(
    ([name, count]) => !(name in NONE) || !Number.isInteger(count) || count < 0,
  );
  if (wrong === undefined) return counts;
  throw new PgsweepError('load', `the check of ${module} returned ${wrong[0]}: ${wrong[1]}`, {
    hint: `Return whole numbers for any of ${Object.keys(NONE).join(', ')}.`,
  });
}
