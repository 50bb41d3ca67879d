import { messageOf } from '../../base/errors.ts';
import type { ServiceConfig } from './config.ts';

/** One line that says why the service could not start. */
export function describeStartError(error: unknown, config: ServiceConfig): string {
  const { hostname, port, username, pathname } = new URL(config.databaseUrl);
  const database = `Postgres at ${hostname || 'localhost'}:${port || '5432'}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EADDRINUSE':
      return `the port ${config.port} of ${config.host} is in use; set PORT to another, or to 0 for any free one`;
    case 'EADDRNOTAVAIL':
      return `HOST ${config.host} is no address of this machine`;
    case 'EACCES':
      return `the port ${config.port} needs rights that this user does not have; set PORT to one above 1023`;
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
    case 'ECONNRESET':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot reach ${database} (${code}); is it running, and is DATABASE_URL right?`;
    case '28P01':
    case '28000':
      return `${database} refused the user '${decodeURIComponent(username)}': ${messageOf(error)}`;
    case '3D000':
      return `${database} has no database '${decodeURIComponent(pathname.slice(1))}'`;
    default:
      return messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
  }
}
