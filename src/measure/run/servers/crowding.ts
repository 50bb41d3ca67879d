import type { WholeSlicesReason } from '../../../journal/pass-records.ts';
import { withConnection } from '../../stack/common/query.ts';
import type { RunningServer } from './servers.ts';

/** Why copies cannot all stay cached. */
export type Crowding = Extract<WholeSlicesReason, 'shared buffers' | 'memory'>;

const SIZES_SQL = `
  SELECT coalesce(sum(pg_database_size(datname)), 0)::float8 AS copies,
    pg_size_bytes(current_setting('shared_buffers'))::float8 AS buffers
  FROM pg_database WHERE datname = ANY($1)`;

/** Tells whether copies that share a server fit in its shared_buffers together, and all in memory; null where they do. */
export async function crowdingOf(
  copies: readonly { readonly name: string; readonly server: RunningServer }[],
  memoryBytes: number,
): Promise<Crowding | null> {
  if (copies.length < 2) return null;
  const reading = [...new Set(copies.map(({ server }) => server))].map(async (server) => {
    const names = copies.filter((copy) => copy.server === server).map(({ name }) => name);
    const { own, adminUrl } = server.postgres;
    const [row] = await withConnection(adminUrl(), (run) => run(SIZES_SQL, [names]));
    return { count: names.length, copies: Number(row?.copies), buffers: Number(row?.buffers), own };
  });
  const sizes = await Promise.all(reading);
  if (sizes.some(({ count, copies, buffers }) => count > 1 && copies > buffers)) return 'shared buffers';
  // The memory of another's server is unknown.
  const here = sizes.filter(({ own }) => own);
  return here.reduce((sum, { copies, buffers }) => sum + copies + buffers, 0) > memoryBytes ? 'memory' : null;
}
