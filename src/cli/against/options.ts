import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { withoutUndefined } from '../../base/schema-values.ts';
import type { AskedAgainst } from '../../scenario/resolve-against.ts';

/** Options of a comparison with commits; each goes over the same key of the scenario's `against`. */
export interface AgainstOptions {
  readonly against?: readonly string[];
  readonly tip?: boolean;
  readonly carry?: readonly string[];
  readonly prepare?: string;
  readonly own?: 'dataset';
}

const HEADING = 'Against commits:';

function add(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Names of these options, as commander knows them. */
export const againstNames = ['against', 'tip', 'carry', 'prepare', 'own'] as const;

/** The options of a command that can compare a folder with commits. */
export function withAgainstOptions(command: Command): Command {
  const options = [
    new Option(
      '--against <ref>',
      "compare the service's folder with a branch (where yours left it), tag or commit; repeatable",
    ).argParser(add),
    new Option('--tip', 'with --against: a branch at its newest commit'),
    new Option('--carry <path>', 'with --against: an ignored file or folder that all sides get').argParser(add),
    new Option('--prepare <command>', 'with --against: build each side after its install'),
    new Option('--own <what>', 'with --against: each side loads its own data set').choices(['dataset']),
  ];
  for (const option of options) command.addOption(option.helpGroup(HEADING));
  return command;
}

/** The comparison that the command line asks for; undefined where it does not. */
export function againstAsked({ against, tip, carry, prepare, own }: AgainstOptions): AskedAgainst | undefined {
  const paths = carry?.map((path) => resolve(path));
  const asked = withoutUndefined({ ref: against, tip, carry: paths, prepare, own: own && [own] });
  return Object.keys(asked).length === 0 ? undefined : (asked as AskedAgainst);
}
