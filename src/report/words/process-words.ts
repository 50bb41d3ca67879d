import { loadAxis } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { ClosingServices, OwnDatabases } from '../../judge/notes.ts';

/** A process of a service by its name; an instance has a number. */
export function processWords(name: string): string {
  return /^\d+$/.test(name) ? `instance ${name}` : name;
}

/** Services that close the connection after each answer. */
export function closingWords({ variants, all }: ClosingServices): string {
  const who = all ? 'the service' : `the service of ${variants.join(', ')}`;
  return `${who} closes its connections after each answer, so latency includes connecting`;
}

/** Services without a Postgres of the bench, and what is then not known. */
export function ownDatabaseWords({ variants, all, kept }: OwnDatabases): string {
  const who = all ? 'the service' : `the service of ${variants.join(', ')}`;
  const whoKeeps = kept.length === variants.length ? '' : ` of ${kept.join(', ')}`;
  const data =
    kept.length === 0 ? '' : `; without a reset, data${whoKeeps} outside of the process stay from round to round`;
  return `${who} has no Postgres of the bench: no counters, statements, WAL or Postgres CPU of it; a database that its command starts is in the CPU of the service${data}`;
}

interface WithInstances {
  readonly instances?: number;
}

/**
 * How many processes the service of each variant is, and how load gets to them: `1 and 4 processes of the service,
 * connections dealt to them in order`. Null where no variant has several.
 */
export function instancesWords(variants: readonly WithInstances[], loads: readonly LoadLevel[]): string | null {
  const counts = [...new Set(variants.map(({ instances = 1 }) => instances))].sort((a, b) => a - b);
  if (Math.max(...counts) === 1) return null;
  const kinds = [...new Set(loads.map((load) => dealt[loadAxis(load)]))];
  const what = kinds.length === 0 ? 'load' : kinds.join(' and ');
  return `${counts.join(' and ')} processes of the service, ${what} dealt to them in order`;
}

const dealt = { connections: 'connections', users: 'users', rate: 'requests' } as const;
