import { closedLoopClients, sizeLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { plural } from '../format.ts';

/** `with 1 client`, `with 25 clients`; where requests come otherwise, `under 200 requests/s`. */
export function withClients(load: LoadLevel): string {
  const clients = closedLoopClients(load);
  return clients === null ? `under ${sizeLabel(load)}` : `with ${plural(clients, 'client')}`;
}
