import { resolve } from 'node:path';
import { z } from 'zod';
import { PgsweepError } from '../base/errors.ts';
import { name, names, strict, text, withoutUndefined } from '../base/schema-values.ts';
import { type Against, BRANCH } from '../journal/run/against-record.ts';
import type { Target } from '../journal/scenario-record.ts';
import { type Origin, requireThere } from './checks.ts';
import type { Problem } from './problem.ts';

const keys = strict({
  ref: names.in.describe('a branch (where yours left it), tag or commit; of several the first is the control'),
  tip: z.boolean().optional().describe('true: a branch at its newest commit'),
  carry: names.in.optional().describe('ignored files and folders that all sides get, such as .env'),
  prepare: text.optional().describe('a command that builds each side after its install'),
  own: z
    .array(z.enum(['dataset']))
    .optional()
    .describe('dataset: each side loads its own data set or migrations'),
});

const EXPECTED = 'expected a branch, tag or commit, a list of them, or { ref, tip, carry, prepare, own }';

/** The commits that the folder of the service is compared with. */
export const against = z
  .union([name, z.array(name).min(1), keys], { error: EXPECTED })
  .describe('commits of its repository that the folder of the service is compared with')
  .transform((asked): z.output<typeof keys> => (typeof asked === 'object' && 'ref' in asked ? asked : { ref: asked }));

/** `against` as a command line gives it: each key goes over the file's. */
export type AskedAgainst = Partial<z.input<typeof keys>>;

/** A document as a file has it, with what the command line asks; where nothing else varies, it needs no variants. Throws PgsweepError `usage`. */
export function withAgainst(document: unknown, asked?: AskedAgainst): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  const { against: own, ...rest } = document as Readonly<Record<string, unknown>>;
  if (own === undefined && asked === undefined) return document;
  const ofFile = typeof own === 'string' || Array.isArray(own) ? { ref: own } : own;
  if (own === undefined && asked?.ref === undefined)
    throw new PgsweepError(
      'usage',
      '--tip, --carry, --prepare and --own belong to --against, or to an against in the file',
    );
  const whole = asked === undefined ? own : { ...(ofFile as object | undefined), ...asked };
  const varies = rest.sweep !== undefined || rest.variants !== undefined;
  return { ...(!varies && { variants: { [BRANCH]: null }, control: BRANCH }), ...rest, against: whole };
}

/** A scenario as written, as far as it compares commits. */
interface Asking {
  readonly against?: z.output<typeof against> | undefined;
  readonly dataset?: unknown;
}

/** The comparison that was asked for, with absolute paths; nothing where there is none. */
export function resolveAgainst(
  { against: written, dataset }: Asking,
  target: Target,
  origin: Origin,
  problems: Problem[],
): { readonly against?: Against } {
  if (written === undefined) return {};
  const { ref, tip, carry, prepare, own = [] } = written;
  const add = (message: string): unknown => problems.push({ path: ['against'], message: `against: ${message}` });
  if (target.kind === 'url' || target.kind === 'service')
    add('pgsweep compares commits of what it starts: expected target.command, target.services, or load.job alone');
  if (own.length > 0 && dataset === undefined)
    add('own: dataset needs a data set: add dataset, such as { sql: schema.sql }');
  const refs = [...new Set([ref].flat())];
  const odd = refs.find((one) => one.startsWith('-') || one === BRANCH);
  if (odd !== undefined) add(`"${odd}" cannot be the name of a variant here: name its commit, or refs/heads/${odd}`);
  const carried = [carry ?? []].flat().map((path) => resolve(origin.folder, path));
  carried.forEach((path, index) => {
    requireThere(path, ['against', 'carry', ...(Array.isArray(carry) ? [index] : [])], problems);
  });
  const atTip = tip === true ? tip : undefined;
  return { against: withoutUndefined({ refs, tip: atTip, carry: carried, prepare, own }) };
}
