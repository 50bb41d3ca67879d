import type { FastifyInstance } from 'fastify';
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';
import type { LiveSettings } from './live-settings.ts';

/** Adds what changes the service while it runs, for clients on this machine alone. */
export function addAdmin(app: FastifyInstance, { live }: Pick<ServiceContext, 'live'>): void {
  app.get('/admin/settings', async ({ socket }) => {
    requireLoopback(socket.remoteAddress);
    return live.read();
  });
  app.put('/admin/settings', async ({ socket, body }): Promise<ReturnType<LiveSettings['read']>> => {
    requireLoopback(socket.remoteAddress);
    await live.change(body);
    return live.read();
  });
}

/** Throws a 403 for an address of another machine, or one that is not known. */
export function requireLoopback(address: string | undefined): void {
  if (address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address)) return;
  throw new ServiceError(403, 'not_local', 'The settings are changed from this machine only');
}
