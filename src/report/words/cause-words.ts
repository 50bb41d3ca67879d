import { formatShare } from '../../base/units.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { causeUnder, type FullResource } from '../../judge/explain/cause.ts';
import { judgedOf } from '../../judge/judged-view.ts';
import type { Summary } from '../../judge/summary.ts';

/** Less CPU of other programs than this, in percent of the machine's, explains nothing. */
const WORTH_PERCENT = 10;

const names: Readonly<Record<FullResource, string>> = {
  'cpu limit': "pgsweep's CPU limit",
  generator: 'the load generator',
  network: 'the network',
  'postgres cpu': "Postgres's CPU",
  'opensearch cpu': "OpenSearch's CPU",
  'service event loop': "the service's thread",
  'service cpu': "the service's CPU",
  'machine cpu': "the machine's CPU",
};

/** `; pool size hardly matters: the service's thread is full (90 % busy)`, to stand behind the answer of a load level; empty where no cause is known. */
export function causeWords(summary: Summary, load: LoadLevel): string {
  // A quick run has no answer to stand behind.
  const cause = summary.run.quick ? null : causeUnder(summary, load, judgedOf(summary.run).name);
  if (cause === null) return '';
  if (cause.kind === 'one client') return '; with one client only one connection of a pool is in use';
  const foreign = cause.resource === 'machine cpu' ? summary.session.disturbance.foreignCpuPercent : null;
  const others =
    foreign !== null && foreign.mean >= WORTH_PERCENT ? `, ${formatShare(foreign.mean / 100)} by other programs` : '';
  const full =
    cause.resource === 'cpu limit'
      ? `${names['cpu limit']} is used up`
      : `${names[cause.resource]} is full (${formatShare(cause.utilisation)} busy${others})`;
  return cause.poolHardlyMatters ? `; pool size hardly matters: ${full}` : `; ${full} in every variant`;
}
