import { type Command, Option } from 'commander';
import { PgsweepError } from '../base/errors.ts';
import type { SessionOptions } from '../run/session.ts';

type StackChoice = SessionOptions['stackChoice'];

/** What the command line says of the stack. */
export interface StackOptions {
  readonly stack: StackChoice['kind'];
  readonly postgres?: string;
  readonly opensearch?: string;
}

/** The options of every command that starts servers. */
export function withStackOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--stack <kind>',
        'where Postgres and OpenSearch come from; auto: containers where Docker answers and the images are at hand',
      )
        .choices(['auto', 'docker', 'embedded', 'external'])
        .env('PGSWEEP_STACK')
        .default('auto'),
    )
    .option('--postgres <url>', 'a Postgres that already runs, as --stack external (default there: DATABASE_URL)')
    .option(
      '--opensearch <url>',
      'an OpenSearch that already runs, as --stack external (default there: OPENSEARCH_URL)',
    );
}

/** Throws PgsweepError `usage` where a URL does not go with the stack. */
export function stackChoice(options: StackOptions, env: NodeJS.ProcessEnv = process.env): StackChoice {
  const { stack, postgres, opensearch } = options;
  const named = postgres !== undefined || opensearch !== undefined;
  if (named && (stack === 'docker' || stack === 'embedded')) {
    throw new PgsweepError('usage', `--postgres and --opensearch are for --stack external, not ${stack}`);
  }
  if (stack !== 'external' && !named) return { kind: stack };
  // A variable that is set for other programs is no wish to measure there: only where external was asked for.
  const { DATABASE_URL, OPENSEARCH_URL } = env;
  return {
    kind: 'external',
    postgresUrl: postgres ?? (DATABASE_URL || undefined),
    openSearchUrl: opensearch ?? (OPENSEARCH_URL || undefined),
  };
}
