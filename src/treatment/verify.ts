import { PgsweepError } from '../base/errors.ts';
import type { PostgresRelease, Treatment } from '../journal/scenario-record.ts';
import type { AppliedTreatment } from '../journal/treatment-records.ts';
import type { Done } from './apply.ts';
import { databaseSettings, serverSettings, settingWords } from './changes.ts';
import { type Index, listIndexes } from './indexes.ts';
import { verifyDatabaseSetting, verifyServerSetting } from './settings.ts';
import type { RunSql } from './sql.ts';

/** Looks, on a new connection, for everything that was done. Throws PgsweepError('scenario') for what is not there. */
export async function verifyTreatment(run: RunSql, treatment: Treatment, done: Done): Promise<AppliedTreatment[]> {
  const applied: AppliedTreatment[] = [];
  if (treatment.postgres !== undefined) applied.push(await verifyRelease(run, treatment.postgres));
  for (const setting of databaseSettings(treatment)) {
    const shown = await verifyDatabaseSetting(run, setting);
    applied.push({ kind: 'setting', name: setting[0], found: settingWords(setting[0], shown, 'database') });
  }
  for (const setting of serverSettings(treatment)) {
    const shown = await verifyServerSetting(run, setting);
    applied.push({ kind: 'setting', name: setting[0], found: settingWords(setting[0], shown, 'server') });
  }
  const { dropped, created, hidden } = done;
  if (dropped.length + created.length + hidden.length === 0) return applied;
  const indexes = new Map((await listIndexes(run)).map((index) => [index.oid, index]));
  for (const { oid, name } of dropped) {
    requireSeen(!indexes.has(oid), `${name} was dropped and is still there`);
    applied.push({ kind: 'dropIndex', name, found: `${name} dropped` });
  }
  const hiddenOids = new Set(hidden.map(({ oid }) => oid));
  for (const { oid, name } of created) {
    const index = indexes.get(oid);
    requireSeen(index?.kept === true && (index.valid || hiddenOids.has(oid)), `${name} was created and cannot be used`);
    applied.push({ kind: 'createIndex', name, found: `${name} created (${sizeOf(index)})` });
  }
  for (const { oid, name } of hidden) {
    const index = indexes.get(oid);
    requireSeen(index?.kept === true && !index.valid, `${name} was hidden and can still be used`);
    const unique = index?.unique === true ? ', still unique' : '';
    applied.push({ kind: 'hideIndex', name, found: `${name} hidden (${sizeOf(index)}${unique})` });
  }
  return applied;
}

async function verifyRelease(run: RunSql, release: PostgresRelease): Promise<AppliedTreatment> {
  const [row] = await run('SHOW server_version');
  const shown = String(row?.server_version).split(' ')[0] ?? '';
  const { version, image, stack } = release;
  // An image is what it is, whatever version was named beside it.
  const right = version === undefined || image !== undefined || shown === version || shown.startsWith(`${version}.`);
  requireSeen(right, `the server is Postgres ${shown}, and ${version} was asked for`);
  const where = [
    ...(image === undefined ? [] : [`image ${image}`]),
    ...(stack === undefined ? [] : [`stack ${stack}`]),
  ];
  return {
    kind: 'server',
    name: 'postgres',
    found: [`Postgres ${shown}`, ...where].join(', ').concat(' (own server)'),
  };
}

function sizeOf(index: Index | undefined): string {
  return index?.size ?? 'size unknown';
}

function requireSeen(seen: boolean, otherwise: string): void {
  if (!seen) throw new PgsweepError('scenario', otherwise);
}
