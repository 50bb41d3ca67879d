import type { BulkCheck, BulkRecord } from '../journal/bulk-records.ts';
import { checkpoint, copyDatabase, type DatabaseServer, dropDatabase } from '../stack/databases.ts';

import { withConnection } from '../stack/query.ts';
import { checkBulk } from './check-bulk.ts';

/** Gives each arm a copy of the template database. The run knows only this, so that a fake can stand in. */
export interface ArmDatabases {
  /** Makes the copy and returns its URL. */
  copy(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  /** Vacuums and analyzes a copy that has been filled, so that reads find it as a copy of a loaded template. */
  tidy(name: string): Promise<void>;
  /** What a copy holds, against what a bulk load says that it has loaded; null where its tables are not known. */
  check(name: string, bulk: BulkRecord): Promise<BulkCheck | null>;
  /** Puts all arms at the same distance from a checkpoint. */
  checkpoint(): Promise<void>;
}

export function armDatabases(server: DatabaseServer, template: string): ArmDatabases {
  return {
    async copy(name) {
      await dropDatabase(server, name);
      await copyDatabase(server, { template, name });
      return server.adminUrl(name);
    },
    drop: (name) => dropDatabase(server, name),
    tidy: (name) => withConnection(server.adminUrl(name), async (run) => void (await run('VACUUM (ANALYZE)'))),
    check: (name, bulk) => checkBulk(server.adminUrl(name), bulk),
    checkpoint: () => checkpoint(server),
  };
}
