import { pathToFileURL } from 'node:url';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import type { RequestSource } from './request-source.ts';
import { toGenerated } from './requests/generated-request.ts';
import { moduleKinds } from './requests/module-kinds.ts';
import { requestFault } from './requests/request-fault.ts';
import type { WorkloadContext, WorkloadModule } from './workload-module.ts';

const HINT =
  'It should be: export default ({ random, unique, documents, options }) => () => ({ method, path, headers, body, name })';

/** The requests of a module. Throws PgsweepError `load` where it cannot be used; so does `next`. */
export async function moduleWorkload(file: string, context: WorkloadContext): Promise<RequestSource> {
  const make = await importFunction<WorkloadModule>(file, 'default', HINT);
  const next = ofModule(file, () => make(context));
  if (typeof next !== 'function')
    throw unusable(file, `its default export returned ${typeof next}, not a function`, HINT);
  const { names = [] } = next;
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string'))
    throw unusable(file, 'names of its function is no list of texts', HINT);
  const kinds = moduleKinds(next);
  return {
    names: kinds.names,
    expected: kinds.expected,
    next: () =>
      ofModule(file, () => {
        const request = next();
        const fault = requestFault(request);
        if (fault !== null) throw unusable(file, fault, HINT);
        const { method = 'GET', path, expect } = request;
        const { name = `${method.toUpperCase()} ${path.split('?')[0]}` } = request;
        return toGenerated(request, { method: 'GET', name: kinds.indexOf(name, expect) });
      }),
  };
}

/** Calls a module's function. Throws PgsweepError for what it throws. */
function ofModule<Made>(file: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw errorOfModule(file, error);
  }
}

/** The error of a user's module: `dataset` in its own words where it has a hint for the user, `load` with its name otherwise. */
export function errorOfModule(file: string, error: unknown): PgsweepError {
  if (error instanceof PgsweepError) return error;
  const { hint } = Object(error) as { readonly hint?: unknown };
  return typeof hint === 'string'
    ? new PgsweepError('dataset', messageOf(error), { hint, cause: error })
    : new PgsweepError('load', `the module ${file} failed: ${messageOf(error)}`, { cause: error });
}

/** An exported function of a user's module. Throws PgsweepError `load` where there is none. */
export async function importFunction<Made extends (...given: never[]) => unknown>(
  file: string,
  name: string,
  hint: string,
): Promise<Made> {
  const made = await importExport(file, name);
  if (typeof made === 'function') return made as Made;
  const what = name === 'default' ? 'no default export that is a function' : `no function ${name}`;
  throw unusable(file, `it has ${what}`, hint);
}

/** An export of a user's module; undefined where it has none of that name. Throws PgsweepError `load` where it cannot be loaded. */
export async function importExport(file: string, name: string): Promise<unknown> {
  let module: { default?: unknown; [name: string]: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new PgsweepError('load', `the module ${file} cannot be loaded: ${messageOf(cause)}`, {
      hint: 'It is loaded as an ES module; TypeScript works too.',
      cause,
    });
  }
  const { default: made } = module;
  // The exports of a CommonJS module, as tsx takes TypeScript to be where no package.json says otherwise, are its default.
  const exports = typeof made === 'object' && made !== null && name in made ? (made as typeof module) : module;
  return exports[name];
}

function unusable(file: string, reason: string, hint: string): PgsweepError {
  return new PgsweepError('load', `the module ${file} cannot be used: ${reason}`, { hint });
}
