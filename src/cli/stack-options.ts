import { type Command, Option } from 'commander';
import { PgsweepError } from '../base/errors.ts';
import { rememberUrlSecrets } from '../journal/run/secret-leaves.ts';
import type { SessionOptions } from '../measure/run/session.ts';
import { stackKinds, stackNames } from '../measure/stack/kinds.ts';

type StackChoice = SessionOptions['stackChoice'];

const kinds: readonly StackChoice['kind'][] = ['auto', ...stackNames];

/** Options about the stack. */
export interface StackOptions {
  readonly stack?: StackChoice['kind'];
  readonly postgres?: string;
  readonly opensearch?: string;
}

/** The options of every command that starts servers. */
export function withStackOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--stack <kind>',
        'where Postgres and OpenSearch come from (default: PGSWEEP_STACK, else auto: Docker if it runs and has the images, else embedded)',
      )
        // No default of commander's: only what stands on the command line contradicts a URL there.
        .choices(kinds),
    )
    .option('--postgres <url>', 'a running Postgres; implies --stack external (default with external: DATABASE_URL)')
    .option(
      '--opensearch <url>',
      'a running OpenSearch; implies --stack external (default with external: OPENSEARCH_URL)',
    );
}

/** Throws PgsweepError `usage` where a URL does not go with the stack. */
export function stackChoice(options: StackOptions, env: NodeJS.ProcessEnv = process.env): StackChoice {
  const { postgres, opensearch } = options;
  const named = postgres !== undefined || opensearch !== undefined;
  const { stack: asked = 'auto' } = options;
  if (named && asked !== 'auto' && stackKinds[asked].own) {
    throw new PgsweepError('usage', `--postgres and --opensearch are for --stack external, not ${asked}`);
  }
  const stack = options.stack ?? ofEnvironment(env.PGSWEEP_STACK);
  if (stack !== 'external' && !named) return { kind: stack };
  // A variable that is set for other programs is no wish to measure there: only where external was asked for.
  const { DATABASE_URL, OPENSEARCH_URL } = env;
  const postgresUrl = postgres ?? (DATABASE_URL || undefined);
  const openSearchUrl = opensearch ?? (OPENSEARCH_URL || undefined);
  for (const url of [postgresUrl, openSearchUrl]) if (url !== undefined) rememberUrlSecrets(url);
  return { kind: 'external', postgresUrl, openSearchUrl };
}

function ofEnvironment(text: string | undefined): StackChoice['kind'] {
  if (!text) return 'auto';
  const kind = kinds.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new PgsweepError('usage', `PGSWEEP_STACK is "${text}": expected one of ${kinds.join(', ')}`);
}
