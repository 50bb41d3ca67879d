import { Command, Option } from 'commander';
import type { ExitCode } from '../base/errors.ts';
import { folderKey, sampleWords, templates, usualTemplate } from '../journal/sample.ts';
import { withRemoteOption } from './allow-remote.ts';
import type { BulkLoadOptions } from './bulk-options.ts';
import type { Io } from './io.ts';
import { countOption, durationOption, seedOption } from './options.ts';
import { withShareOption } from './share.ts';
import { withStackOptions } from './stack-options.ts';
import { templateOption, templateTitle } from './template-option.ts';

const titles = templates.map(templateTitle);
const usual = templateTitle(usualTemplate);

const EXAMPLES = `
pgsweep starts its sample service on an empty database, once for each round.
Exit code: 0 if all documents were loaded; 2 for bad usage; 3 if the load was cut off; 4 if any document was lost, doubled or never accepted.

Examples:
  pgsweep bulk-load
  pgsweep bulk-load --template ${usual} --rounds 3 --connections 10
  pgsweep bulk-load --${folderKey} ../data --update
  pgsweep bulk-load --base-url http://127.0.0.1:3000 --documents 2000
  pgsweep bulk-load --scenario my-variants.yaml --variant "Pool 25 conn"`;

/** Options and help of `bulk-load`. The load itself is loaded when it starts. */
export function bulkLoadCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withShareOption(withRemoteOption(withStackOptions(new Command('bulk-load'))))
    .option(
      '--template <name>',
      `${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(titles)} (default: ${usual})`,
      templateOption,
    )
    .option(
      '--documents <n>',
      'number of documents in the template (default: all, even if the scenario has fewer)',
      countOption,
    )
    .option('--seed <n>', 'seed of the template and of the pauses (default: 1)', seedOption)
    .addOption(
      new Option(`--${folderKey} <dir>`, `${sampleWords.folder}, instead of a template`).conflicts([
        'template',
        'documents',
      ]),
    )
    .addOption(new Option('--base-url <url>', 'a service that already runs').conflicts(['scenario', 'variant']))
    .option('--scenario <file>', 'the scenario that has the variant (default: scenarios/index-and-lock.yaml)')
    .option('--variant <name>', 'the variant whose settings the service gets (default: the control)')
    .option('--list-variants', 'print the names of the variants, one per line, and load nothing')
    .option('--rounds <n>', 'how many times to load, each time into a fresh database', countOption, 1)
    .option('--connections <n>', 'TCP connections (default: 25)', countOption)
    .option('--in-flight <n>', 'most requests under way at any time (default: the number of connections)', countOption)
    .option('--retries <n>', 'how often to send a refused document again (default: 3)', seedOption)
    .option('--backoff <duration>', 'pause before the first retry; it doubles (default: 100ms)', durationOption)
    .option('--timeout <duration>', 'how long to wait for an answer (default: 10s)', durationOption)
    .option('--update', 'first load everything once without measuring, so every measured write is an update')
    .option('--out <dir>', 'folder of the result (default: results/bulk-load-TIME)')
    .option('--quiet', 'show no progress')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: BulkLoadOptions & { readonly listVariants?: boolean }) => {
      if (options.listVariants) {
        const { variantNames } = await import('./bulk-options.ts');
        for (const name of variantNames(options)) io.out(`${name}\n`);
      } else finish(await (await import('./bulk-load.ts')).bulkLoad(options, io));
    });
}
