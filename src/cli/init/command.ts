import { existsSync, readdirSync } from 'node:fs';
import { dirname, extname, relative, sep } from 'node:path';
import { Command, Option } from 'commander';
import { PgsweepError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files/atomic-file.ts';
import { withoutUndefined } from '../../base/schema-values.ts';
import { shellWord } from '../../base/shell-word.ts';
import { mixFrom, type SourceName, sourceNames, sourceText } from '../../scenario/import/import.ts';
import type { Mix } from '../../scenario/import/mix.ts';
import { DATASET_LINE, leftOutLines, variablesOf, writtenK6, writtenMix } from '../../scenario/import/write.ts';
import { schemaLine } from '../../scenario/schema-file.ts';
import type { Io } from '../io.ts';
import { OWN_SCENARIO, sampleScenario } from '../options.ts';
import { type RoleOffer, roleOfferIn } from './role-offer.ts';
import { starterScenario } from './starter-scenario.ts';

/** Files of npm and pgsweep: a folder with these alone has no service. */
const withoutService = ['node_modules', 'package.json', 'package-lock.json', 'results', OWN_SCENARIO];

/** Head of the scenario for a folder without a service. It runs as it is. */
const SAMPLE_COMMENT = `# A pgsweep scenario: what varies, against which control, under which load, for how long.
# It measures the sample service that comes with pgsweep. Run pgsweep init in the folder of your service to get one for it.
`;

const K6 = 'k6';

interface InitOptions {
  readonly force?: boolean;
  readonly from?: string;
  readonly format?: SourceName | typeof K6;
  readonly host?: string;
  readonly session?: boolean;
}

/** Text of the file, and words about it for the terminal. */
interface Written {
  readonly text: string;
  /** After `wrote FILE`. */
  readonly what: string;
  /** Steps before it can be run. */
  readonly first: string;
}

export function initCommand(io: Io): Command {
  return new Command('init')
    .argument('[file]', 'file to write', OWN_SCENARIO)
    .option('--force', 'overwrite the file')
    .option(
      '--from <source>',
      'take the requests from a HAR, an access log or an OpenAPI description; or have k6 run this script',
    )
    .addOption(
      new Option('--format <kind>', 'format of --from (default: detected from its name and its beginning)').choices([
        ...sourceNames,
        K6,
      ]),
    )
    .option('--host <name>', 'host whose requests to take from --from (default: the most frequent host)')
    .option('--session', "read a HAR as one user's session, in order (default: if requests need earlier answers)")
    .option('--no-session', 'read a HAR as a mix of requests, by weight')
    .addHelpText(
      'after',
      '\nExamples:\n  pgsweep init\n  pgsweep init bench/pool-size.yaml\n  pgsweep init --from capture.har\n  pgsweep init mix.yaml --from /var/log/nginx/access.log\n  pgsweep init mix.yaml --from openapi.yaml\n  pgsweep init mix.yaml --from load.k6.js',
    )
    .action(async (file: string, options: InitOptions) => {
      if (existsSync(file) && !options.force) {
        throw new PgsweepError('usage', `${file} is there already`, {
          hint: 'Name another file, or overwrite it with --force.',
        });
      }
      const { text, what, first } = await written(file, options, io);
      const offer = text.includes(DATASET_LINE) ? roleOfferIn('.') : null;
      const offered = offer === null ? text : text.replace(DATASET_LINE, () => datasetLine(offer, dirname(file)));
      // Readable like the user's other files: it belongs into the repository.
      writeFileAtomic(file, `${schemaLine(file, process.cwd())}\n${offered}`, 0o666);
      // Commands take OWN_SCENARIO where no file is named.
      const named = file === OWN_SCENARIO ? '' : ` ${shellWord(file)}`;
      io.out(
        `wrote ${file}${what}\n${offer === null ? '' : `${offerWords(offer)}: see dataset.role in it\n`}Next:${first}\n  pgsweep plan${named}\n  pgsweep plan${named} --check\n  pgsweep sweep${named} --quick\n  pgsweep sweep${named}\n`,
      );
    });
}

function offerWords({ file, role, isMade, hasPolicies }: RoleOffer): string {
  const has = [isMade ? `makes the role ${role}` : '', hasPolicies ? 'has policies of row-level security' : ''];
  const why = hasPolicies ? 'which apply to no superuser' : 'which the service may need';
  return `${file} ${has.filter((one) => one !== '').join(' and ')}, ${why}`;
}

/** The line of the data with the role that the service gets. */
function datasetLine(offer: RoleOffer, folder: string): string {
  const text = (value: string): string => (/^[\w./-]+$/.test(value) ? value : JSON.stringify(value));
  const file = relative(folder, offer.file).split(sep).join('/');
  return `# dataset: { sql: [${text(file)}], role: ${text(offer.role)} } # the service gets this role: ${offerWords(offer)}`;
}

async function written(file: string, { from, format, host, session }: InitOptions, io: Io): Promise<Written> {
  if (from !== undefined && (format === K6 || (format === undefined && /^\.[cm]?[jt]s$/.test(extname(from)))))
    return withScript(file, from);
  if (from !== undefined && format !== K6) {
    const mix = await mixFrom(from, withoutUndefined({ kind: format, host, session }));
    tellLeftOut(mix, io);
    return { text: writtenMix(mix, from), what: whatOf(mix), first: firstOf(mix) };
  }
  const options = { format, host, session };
  const given = Object.entries(options).find(([, value]) => value !== undefined);
  if (given !== undefined) throw new PgsweepError('usage', `--${given[0]} belongs to --from`);
  const isSample = readdirSync('.').every((name) => name.startsWith('.') || withoutService.includes(name));
  if (isSample) return { text: `${SAMPLE_COMMENT}${sampleScenario()}`, what: ', for the sample service', first: '' };
  return { text: starterScenario, what: '', first: ' set command, dataset and requests in it, then' };
}

const MOST_SCRIPT_MB = 2;

/** Scenario that has k6 run the script. Throws PgsweepError `usage` if the file is no k6 script. */
function withScript(file: string, script: string): Written {
  if (!/['"]k6(\/[\w./-]+)?['"]/.test(sourceText(script, MOST_SCRIPT_MB))) {
    throw new PgsweepError('usage', `${script} is no k6 script: it imports nothing from k6`, {
      hint: `A HAR, an access log or an OpenAPI description by another name: --format ${sourceNames.join(', ')}. Requests made by a module: load: { module: ... } in the scenario.`,
    });
  }
  return {
    text: writtenK6(relative(dirname(file), script).split(sep).join('/')),
    what: `: load: { k6: ${script} }`,
    first: ' set command and dataset in it, have the script send to __ENV.BASE_URL, then',
  };
}

/** Most lines that are printed about requests left out; the file has all of them. */
const MOST_LINES = 20;

function tellLeftOut({ leftOut }: Mix, io: Io): void {
  if (leftOut.length === 0) return;
  const lines = leftOutLines(leftOut);
  const more = lines.length - MOST_LINES;
  const shown = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more, in the file`] : [])];
  io.err(`not in the scenario:\n${shown.map((line) => `  ${line}\n`).join('')}`);
}

function whatOf({ requests, total, kind }: Mix): string {
  const word = kind === 'session' ? 'step' : 'request';
  const count = `${requests.length} ${word}${requests.length === 1 ? '' : 's'}`;
  return kind !== 'described' ? `: ${count} in place of ${total.toLocaleString('en-US')}` : `: ${count}`;
}

function firstOf(mix: Mix): string {
  const variables = variablesOf(mix);
  const secrets = variables.length === 0 ? '' : `, set ${variables.join(', ')} in the environment`;
  return ` set command and dataset in it, look its requests through${secrets}, then`;
}
