import { formatCount } from '../../judge/format.ts';
import type { ByAutocannon, ClosingServices, NotMeasured, OwnDatabases } from '../../judge/notes.ts';

/** A process of a service by its name; an instance has a number. */
export function processWords(name: string): string {
  return /^\d+$/.test(name) ? `instance ${name}` : name;
}

/** Services that close the connection after each answer. */
export function closingWords({ variants, all }: ClosingServices): string {
  const who = all ? 'the service' : `the service of ${variants.join(', ')}`;
  return `${who} closes its connections after each answer, so latency includes connecting`;
}

/** Load by autocannon, and what it misses. */
export function autocannonWords({ cutOff, lost, variants }: ByAutocannon): string {
  const dropped =
    lost < 1
      ? ''
      : `; it lost up to ${formatCount(lost)} requests a slice on connections that the service of ${variants.join(', ')} closed, so its own latencies are too long, and pgsweep leaves these requests out`;
  return `autocannon sent the load: while the service stalls it sends little, so percentiles hide what users would suffer; requests under way at the end of a slice (up to ${formatCount(cutOff)}) are counted nowhere; its own results (autocannon/) have latencies in whole milliseconds${dropped}`;
}

/** Services without a Postgres of the bench, and what is then not known. */
export function ownDatabaseWords({ variants, all, kept }: OwnDatabases): string {
  const who = all ? 'the service' : `the service of ${variants.join(', ')}`;
  const whoKeeps = kept.length === variants.length ? '' : ` of ${kept.join(', ')}`;
  const data =
    kept.length === 0 ? '' : `; without a reset, data${whoKeeps} outside of the process stay from round to round`;
  return `${who} has no Postgres of the bench: no counters, statements, WAL or Postgres CPU of it; a database that its command starts is in the CPU of the service${data}`;
}

/** `n/a: not measured`, or why no slice of a side counts. */
export function notMeasuredWords({ discarded, control }: NotMeasured): string {
  if (discarded === undefined) return 'n/a: not measured';
  return `n/a: ${control ? 'the control is ' : ''}discarded (${discarded.join(', ')})`;
}
