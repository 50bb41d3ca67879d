import { once } from 'node:events';
import { connect } from 'node:net';
import type { Address } from '../../probe/sockets/socket-list.ts';

/** SSLRequest of Postgres's protocol: its length, and 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ANSWERS = new Set(['S', 'N']);
const LIMIT_MS = 500;
/** The port of a Postgres that has not been given another. */
export const POSTGRES_PORT = 5432;

/**
 * True if a server answers as a Postgres does, or a pooler before one: it is asked if it would encrypt, and nothing follows.
 * One that cannot be asked is taken for a Postgres if its port is Postgres's.
 */
export async function speaksPostgres({ host, port }: Address): Promise<boolean> {
  const socket = connect({ host, port });
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    socket.on('error', () => {});
    await once(socket, 'connect', { signal });
    socket.write(SSL_REQUEST);
    const [answer] = await once(socket, 'data', { signal });
    return ANSWERS.has(String(answer));
  } catch {
    return port === POSTGRES_PORT;
  } finally {
    socket.destroy();
  }
}
