import type { JobRecord } from '../../journal/job-spec.ts';
import type { DatasetRecord } from '../../journal/records.ts';
import type { OwnServersReason } from '../../journal/run/provenance-record.ts';
import { formatCount } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { measuredParts } from '../parts/parts.ts';
import { againstLines } from './against.ts';
import { housekeepingFact } from './housekeeping.ts';
import { leftOutWords } from './left-out.ts';

/** The machine, versions and data of the run, as labels and values for people. */
export function provenanceFacts(summary: Summary): [string, string][] {
  const { run, treatments, provenance, reset } = summary;
  const { dataset } = provenance;
  const settings = Object.entries(provenance.postgresSettings).map(([name, value]) => `${name}=${value}`);
  const facts: [string, string | null][] = [
    ['run', run.id],
    ['started', run.startedAt],
    ['seed', String(run.seed)],
    ['pgsweep', [provenance.pgsweepVersion, provenance.gitCommit ?? ''].join(' ').trim()],
    ['compared', againstLines(run).join('; ') || null],
    ['commits', commitsOf(provenance)],
    ['machine', `${provenance.cpuModel}, ${provenance.cpuCount} CPUs, ${gibibytes(provenance.memoryBytes)} GiB`],
    ['kernel', provenance.kernel],
    ['Node.js', provenance.nodeVersion],
    ['stack', stackOf(provenance)],
    ['note', provenance.stackNote ?? null],
    ['Postgres', provenance.postgresVersion],
    ['binaries', provenance.postgresBinaries],
    ['settings', settings.length === 0 ? null : settings.join(', ')],
    ['servers', serversOf(provenance)],
    ['housekeeping', housekeepingFact(provenance)],
    ...treatments.map(({ variant, changes }): [string, string] => [`changed in ${variant}`, changes.join(', ')]),
    ...measuredParts(summary),
    ['each round', resetOf(reset, provenance)],
    ['OpenSearch', openSearchOf(provenance)],
    ['data set', dataset && datasetOf(dataset)],
    ['fingerprint', dataset?.fingerprint ?? null],
    ['role', roleWords(provenance.serviceRole)],
    ['left out', dataset?.leftOut ? leftOutWords(dataset.leftOut).join('; ') : null],
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : [[label, value]]));
}

/** Null for a superuser without row-level security: what roles do is of no concern there. */
function roleWords(role: Summary['provenance']['serviceRole']): string | null {
  if (role === undefined || (role.isSuperuser && role.secured === 0)) return null;
  const policies = `row-level security of ${role.bypassed} of ${role.secured} tables does not apply to it`;
  const what = `services have the role ${role.name}${role.isSuperuser ? ', a superuser' : ''}`;
  return role.bypassed === 0 ? what : `${what}: ${policies}`;
}

const whyOwnServers: Readonly<Record<OwnServersReason, string>> = {
  variants: 'variants change what needs its own server',
  restart: 'rounds.restart asks for it',
  'shared buffers': 'the databases of all arms together do not fit in shared_buffers',
};

function serversOf({ ownServers }: Summary['provenance']): string | null {
  if (ownServers === undefined) return null;
  return `one Postgres for each arm, started fresh in every round: ${whyOwnServers[ownServers]}`;
}

/** The commits of variants that were run in their own folders. */
function commitsOf({ variantCommits = {} }: Summary['provenance']): string | null {
  const commits = Object.entries(variantCommits).map(([variant, commit]) => `${variant} ${commit}`);
  return commits.length === 0 ? null : commits.join(', ');
}

/** How every arm is made fresh, and how long that takes. */
function resetOf(
  reset: Summary['reset'],
  { postgresVersion, openSearchVersion }: Summary['provenance'],
): string | null {
  if (reset === null) return null;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  const parts = [
    ...(postgresVersion === null ? [] : [`copy of the loaded database (${seconds(reset.copyMs)})`]),
    ...(reset.startMs === 0 ? [] : [`process of the service (${seconds(reset.startMs)})`]),
    ...(openSearchVersion === undefined ? [] : ['indices']),
  ];
  const { buffers = [] } = reset;
  return [`each arm gets its own: ${parts.join(', ')}`, ...buffers.map((state) => bufferWords[state])].join('; ');
}

const bufferWords: Readonly<Record<JobRecord['buffers'], string>> = {
  warm: 'before the job, tables and indexes are read into shared_buffers',
  cold: 'before the job, shared_buffers are emptied',
  'as copied': 'before the job, shared_buffers stay as the copy left them',
};

/** Most names say how many documents there are. Those that the bench did not make are not counted. */
function datasetOf({ name, documents }: DatasetRecord): string {
  const counted = `${documents} documents`;
  if (documents === 0 || name.includes(counted)) return name.replace(counted, `${formatCount(documents)} documents`);
  return `${name}, ${formatCount(documents)} documents`;
}

function stackOf({ stack, stackReason }: Summary['provenance']): string {
  return stackReason === undefined ? stack : `${stack} (${stackReason})`;
}

function openSearchOf({ openSearchVersion, openSearchRuntime }: Summary['provenance']): string | null {
  return openSearchVersion === undefined ? null : `${openSearchVersion} (${openSearchRuntime})`;
}

/** A size of memory: `31.2`. */
export function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
