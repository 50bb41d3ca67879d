import { asSentence } from '../../base/present.ts';
import { formatDuration } from '../../base/units.ts';
import { oneLine } from '../../base/visible.ts';
import type { RunWarning } from '../../measure/run/warnings.ts';
import { leftOutWords } from '../../report/words/left-out.ts';
import { shortRoundsWords } from '../../report/words/note-words.ts';
import { roomyWords } from '../../report/words/remedies.ts';
import { dryPoolWords } from './dry-pool-words.ts';

/** However long the last lines of a job are. */
const MOST_OF_A_FAILURE = 600;

/** A warning of a run, and the flag, key or command to try: one line, which begins with `warning: `. */
export function warningLine(warning: RunWarning): string {
  return `warning: ${asSentence(warningWords(warning))}`;
}

/** Every sentence about such a warning is made here. */
function warningWords(warning: RunWarning): string {
  switch (warning.kind) {
    case 'probe-missed': {
      const whose = warning.role === undefined ? '' : ` of ${warning.role}`;
      return `the probe ${warning.probe} missed something${whose}: ${warning.cause}. Its values are n/a there; probes: { ${warning.probe}: off } leaves it out.`;
    }
    case 'metrics-missing':
      return `${warning.path} never showed ${warning.names.join(', ')}. ${
        warning.near.length === 0
          ? 'target.metrics.include names what the service has.'
          : `Did you mean ${warning.near.join(', ')} in target.metrics.include?`
      }`;
    case 'samples-ended':
      return `pg_stat_database could not be sampled: ${warning.cause}. Tables do not need these samples; --interval sets how often they are taken.`;
    case 'identical-variants':
      return `the variants ${listed(warning.names)} are identical: what differs between them is noise. Leave all but one out of variants or sweep: the control is compared with itself anyway.`;
    case 'variants-differ-by-space':
      return `the variants ${listed(warning.names)} differ only by a space. Fix it in variants or sweep, unless you mean it.`;
    case 'names-differ-by-space':
      return `the names of the variants ${listed(warning.names)} differ only by a space. Rename one of them in variants or sweep.`;
    case 'cpusets-overlap': {
      const [one, other] = warning.servers.map(({ name, cpuset }) => `${name} (${cpuset})`);
      return `the CPU sets of ${one} and ${other} overlap. stack.postgres.cpuset and stack.opensearch.cpuset can name separate CPUs.`;
    }
    case 'cpusets-take-all':
      return `the CPU sets take all ${warning.cpus} CPUs: none is left for the service and the load generator. A smaller stack.postgres.cpuset or stack.opensearch.cpuset leaves some.`;
    case 'examined': {
      const { name, found, advice } = warning.finding;
      return [`${name}: ${found}.`, ...(advice ? [advice] : [])].join(' ');
    }
    case 'limits-ignored':
      return `${warning.keys.join(', ')}: only containers have limits, and the stack is ${warning.stack}. --stack docker keeps them.`;
    case 'postgres':
      return `${warning.note}. stack.postgres and --stack choose another Postgres.`;
    case 'left-out':
      return `left out of ${leftOutWords(warning.leftOut).join('; ')}. dataset.role, or a CREATE ROLE before it, makes a role.`;
    case 'server-is-shared': {
      const { copies, copyBytes, bufferBytes } = warning.room;
      const together = `the copies of ${copies} arms (${megabytes(copies * copyBytes)}) do not fit in shared_buffers (${megabytes(bufferBytes)})`;
      return `${together}, and ${noOwnServers[warning.lacks]}. So arms have whole slices instead of short turns, which is noisier. Larger shared_buffers (stack.postgres.settings, or of that server), fewer variants or fewer data help.`;
    }
    case 'no-database-columns':
      return `no pg_stat_database columns in this run: ${warning.cause}. Runs without live settings, on Postgres 15 or later (stack.postgres.version), have them.`;
    case 'secrets-changed':
      return warning.places === null
        ? 'it is not known if secrets of the scenario have changed since the run began: the key of their digests belongs to another user or machine. Without --resume a new run begins.'
        : `secrets have changed since the run began: ${warning.places.join(', ')}. If they matter to the result, begin a new run without --resume.`;
    case 'guard-died':
      return 'the guard process died; another took its place. If pgsweep is killed too, run pgsweep clean.';
    case 'clean-up-failed':
      return `while cleaning up: ${warning.cause}. pgsweep clean ends and removes what is left.`;
    case 'housekeeping': {
      const needs = warning.needs.map(
        ({ work, setting, leastSliceMs }) =>
          `two ${work} take ${formatDuration(leastSliceMs)} by ${setting}, less where writes force them`,
      );
      return `variants set ${warning.settings.join(', ')}, so Postgres's own housekeeping is on, and there is no verdict without at least two of each arm under load: ${needs.join('; ')}. load.slice sets how long each arm is under load; a lower ${[...new Set(warning.needs.map(({ setting }) => setting))].join(' or ')} in stack.postgres.settings shortens it.`;
    }
    case 'schema-differs': {
      const { control, files } = warning;
      const more = files.length > 5 ? ` and ${files.length - 5} more` : '';
      return `files of the schema differ between ${control} and your branch: ${files.slice(0, 5).join(', ')}${more}. Both sides get the data set of your folder; with --own dataset (own: [dataset] under against) each side loads its own.`;
    }
    case 'pool-is-dry':
      return dryPoolWords(warning);
    case 'few-rounds': {
      const { rounds, needed, missingMs, decides, searches } = warning;
      const what = decides ? 'a decision needs' : 'verdicts start at';
      return `the budget allows ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, and ${what} ${needed}: about ${formatDuration(Math.max(1000, Math.ceil(missingMs / 1000) * 1000))} are missing. Once it has ended, pgsweep ${searches ? 'tune' : 'sweep'} --resume with --rounds ${needed} adds them; or press Ctrl-C and resume with a larger --budget.`;
    }
    case 'short-rounds': {
      return `the budget has room for ${warning.rounds} rounds because they are short: ${shortRoundsWords(warning)}. ${roomyWords(warning)}`;
    }
    case 'job-failed':
      return `${oneLine(warning.failure, MOST_OF_A_FAILURE)} It does not count; pgsweep report says how many did.`;
    case 'loads-add-up':
      return 'each round after the first finds the documents of the rounds before. --rounds 1, or no --base-url, loads into an empty database.';
  }
}

type SharedServer = Extract<RunWarning, { kind: 'server-is-shared' }>;

const noOwnServers: Readonly<Record<SharedServer['lacks'], string>> = {
  external: 'an external server is the only one',
  memory: 'a server for each arm would need more memory than this machine has',
  disk: 'a server for each arm would need more disk than is free',
};

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}
