import { pathToFileURL } from 'node:url';
import { contentTypeOf } from '../../base/content-type.ts';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import type { RequestSource } from './request-source.ts';
import { encodedPath } from './requests/encoded-path.ts';
import type { WorkloadContext, WorkloadModule } from './workload-module.ts';

/** At most this many different request names are distinguished; the rest are one. */
const MOST_NAMES = 50;

/** The requests of a user's own module. Throws PgsweepError `load` where it cannot be used. */
export async function moduleWorkload(file: string, context: WorkloadContext): Promise<RequestSource> {
  const make = await importDefault(file);
  const next = make(context);
  if (typeof next !== 'function') throw unusable(file, `its default export returned ${typeof next}, not a function`);
  const names: string[] = [];
  const nameIndex = (name: string): number => {
    const index = names.indexOf(name);
    if (index >= 0 || names.length >= MOST_NAMES) return index >= 0 ? index : MOST_NAMES - 1;
    return names.push(names.length === MOST_NAMES - 1 ? 'other' : name) - 1;
  };
  return {
    names,
    next() {
      const { method = 'GET', path, headers = {}, body, name } = next();
      return {
        method,
        path: encodedPath(path),
        headers: { ...contentTypeOf(body, headers), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        name: nameIndex(name ?? `${method} ${path.split('?')[0]}`),
      };
    },
  };
}

async function importDefault(file: string): Promise<WorkloadModule> {
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new PgsweepError('load', `the workload module ${file} cannot be loaded: ${messageOf(cause)}`, {
      hint: 'It is loaded as an ES module; TypeScript works too.',
      cause,
    });
  }
  const { default: made } = module;
  // The exports of a CommonJS module, as tsx takes TypeScript to be where no package.json says otherwise, are its default.
  const make = typeof made === 'object' && made !== null && 'default' in made ? made.default : made;
  if (typeof make !== 'function') throw unusable(file, 'it has no default export that is a function');
  return make as WorkloadModule;
}

function unusable(file: string, reason: string): PgsweepError {
  return new PgsweepError('load', `the workload module ${file} cannot be used: ${reason}`, {
    hint: 'It should be: export default ({ random, unique, documents }) => () => ({ method, path, headers, body, name })',
  });
}
