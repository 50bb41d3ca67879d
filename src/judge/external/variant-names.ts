import { basename, dirname } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';

/** The number of a run at the end of a name: `base-1`, `base.run3`, `base_07`. */
const RUN_NUMBER = /(?<=.)[-_. ]?(?:run|round|r)?[-_. ]?\d+$/i;

/**
 * Which variant each file is of, by its name: `base-1.json` is of base. Where that leaves no variant with the control's
 * name, the whole name counts (`pool-10.json`), and then the folder's (`base/1.json`). Throws PgsweepError `usage` where
 * none of these is the control.
 */
export function variantNames(files: readonly string[], control: string): string[] {
  const stems = files.map((file) => basename(file).replace(/(?<=.)(\.(json|txt|log|out))+$/i, ''));
  const ways = [stems.map((stem) => stem.replace(RUN_NUMBER, '')), stems, files.map((file) => basename(dirname(file)))];
  const found = ways.find((names) => names.includes(control) && new Set(names).size > 1);
  if (found !== undefined) return found;
  const names = [...new Set(ways[0])];
  const like = nearest(control, names);
  throw new PgsweepError('usage', `no file is of the control ${control}; their names are of ${names.join(', ')}`, {
    hint: `${like === null ? '' : `Did you mean --control ${like}? `}A file can be given as NAME=FILE, such as ${control}=${files[0]}.`,
  });
}
