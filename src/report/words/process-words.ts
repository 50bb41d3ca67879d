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
