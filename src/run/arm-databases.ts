import { checkpoint, copyDatabase, type DatabaseServer, dropDatabase } from '../stack/databases.ts';

/** Gives each arm a copy of the template database. The run knows only this, so that a fake can stand in. */
export interface ArmDatabases {
  /** Makes the copy and returns its URL. */
  copy(name: string): Promise<string>;
  drop(name: string): Promise<void>;
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
    checkpoint: () => checkpoint(server),
  };
}
