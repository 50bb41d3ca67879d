import { Command, Option } from 'commander';
import { ExitCode, PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import type { Provenance } from '../journal/records.ts';
import { withoutSecrets } from '../journal/run/secret-leaves.ts';
import { createBulkFolder, firstFailures } from '../measure/run/bulk/bulk-folder.ts';
import { type BulkLoadRun, type BulkRound, runBulkLoad } from '../measure/run/bulk/bulk-load.ts';
import { defaultRunFolder } from '../measure/run/run-folder.ts';
import { withRemoteOption } from './allow-remote.ts';
import { type BulkLoadOptions, bulkLoadRun, datasetTitle, templateOption, variantNames } from './bulk-options.ts';
import type { Io } from './io.ts';
import { countOption, durationOption, seedOption } from './options.ts';
import { progressFor } from './progress/progress-for.ts';
import { applyShare, withShareOption } from './share.ts';
import { describeBulk, isWhole, timeSpan } from './show-bulk.ts';
import { withStackOptions } from './stack-options.ts';

const EXAMPLES = `
The service that comes with pgsweep is started on an empty database of its own, once for each round.
Exit code: 0 where all documents were loaded; 2 bad usage; 4 where any was lost, doubled or never accepted.

Examples:
  pgsweep bulk-load
  pgsweep bulk-load --template PartialGrandBend --rounds 3 --connections 10
  pgsweep bulk-load --edfi ../grand-bend --update
  pgsweep bulk-load --base-url http://127.0.0.1:3000 --documents 2000
  pgsweep bulk-load --scenario my-variants.yaml --variant "Pool 25 conn"`;

export function bulkLoadCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withShareOption(withRemoteOption(withStackOptions(new Command('bulk-load'))))
    .option(
      '--template <name>',
      'PartialGrandBend, GrandBend or Southridge (default: PartialGrandBend)',
      templateOption,
    )
    .option(
      '--documents <n>',
      'how many documents the template has (default: all, whatever the scenario says)',
      countOption,
    )
    .option('--seed <n>', 'seed of the template and of the pauses (default: 1)', seedOption)
    .addOption(
      new Option('--edfi <dir>', 'a folder of Ed-Fi XML in place of a template').conflicts(['template', 'documents']),
    )
    .addOption(new Option('--base-url <url>', 'a service that already runs').conflicts(['scenario', 'variant']))
    .option('--scenario <file>', 'the scenario that has the variant (default: scenarios/index-and-lock.yaml)')
    .option('--variant <name>', 'the variant whose settings the service gets (default: the control)')
    .option('--list-variants', 'print the names of the variants, one a line, and load nothing')
    .option('--rounds <n>', 'load so often, each time into a fresh database', countOption, 1)
    .option('--connections <n>', 'TCP connections (default: 25)', countOption)
    .option('--in-flight <n>', 'requests under way at any time, at most (default: as many as connections)', countOption)
    .option('--retries <n>', 'how often a refused document is sent again (default: 5)', seedOption)
    .option('--backoff <duration>', 'pause before the first repeat; it doubles (default: 100ms)', durationOption)
    .option('--timeout <duration>', 'how long an answer may take (default: 30s)', durationOption)
    .option('--update', 'load all of it once unmeasured first, so that every measured write is an update')
    .option('--out <dir>', 'folder of the result (default: results/bulk-load-TIME)')
    .option('--quiet', 'no progress')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: BulkLoadOptions & { readonly listVariants?: boolean }) => {
      if (options.listVariants)
        io.out(
          variantNames(options)
            .map((name) => `${name}\n`)
            .join(''),
        );
      else finish(await bulkLoad(options, io));
    });
}

async function bulkLoad(options: BulkLoadOptions, io: Io): Promise<ExitCode> {
  const planned = bulkLoadRun(options);
  applyShare(options);
  const startedAt = new Date();
  const folder = createBulkFolder(options.out ?? defaultRunFolder('bulk-load', startedAt));
  const run = { ...planned, folder };
  const title = datasetTitle(run.spec.dataset);
  const lines = (text: string): void => {
    if (options.json !== true) io.out(text);
  };
  const progress = progressFor(options, io);
  const rounds: BulkRound[] = [];
  let json = '';
  try {
    if (run.target.kind === 'url' && run.rounds > 1) {
      progress.on({ kind: 'warning', warning: { kind: 'loads-add-up' } });
    }
    await runBulkLoad(run, {
      emit: (event) => progress.on(event),
      onStart() {
        progress.clear();
        lines(`Starting Measure for ${title}\n`);
      },
      onRound(round, provenance) {
        progress.clear();
        lines(`Total Time: ${timeSpan(round.result.bulk.totalMs)}\nDocuments: ${round.result.bulk.documents}\n`);
        rounds.push(round);
        json = resultJson({ run, rounds, provenance, startedAt });
        // After every round: what is done is kept, whatever happens to the next.
        writeFileAtomic(folder.result, json);
      },
      signal: io.signal,
    });
  } catch (error) {
    folder.removeUnused();
    throw ofCommand(error, options);
  } finally {
    progress.close();
  }
  const passed = rounds.every(isWhole);
  if (options.json) io.out(json);
  else io.out(`\n${describeBulk(rounds, firstFailures(folder, 3))}\nresult: ${folder.path}\n`);
  return passed ? ExitCode.done : ExitCode.gate;
}

/** Error with a hint for the command line: one about scenario keys would be no help. */
function ofCommand(error: unknown, { baseUrl }: BulkLoadOptions): unknown {
  if (baseUrl === undefined || !(error instanceof PgsweepError) || error.code !== 'target') return error;
  const hint = 'Start the service, or name another. Without a URL, the service that comes with pgsweep is started.';
  return new PgsweepError(error.code, error.message, { hint, cause: error });
}

interface Told {
  readonly run: BulkLoadRun;
  readonly rounds: readonly BulkRound[];
  readonly provenance: Provenance;
  readonly startedAt: Date;
}

function resultJson({ run, rounds, provenance, startedAt }: Told): string {
  const { folder, stackChoice: _, ...asked } = run;
  const { masked } = withoutSecrets(asked, null);
  const whole = rounds.every(isWhole);
  const { path, failures } = folder;
  const result = { startedAt: startedAt.toISOString(), ...masked, path, failures, provenance, rounds, whole };
  return `${JSON.stringify(result, null, 2)}\n`;
}
