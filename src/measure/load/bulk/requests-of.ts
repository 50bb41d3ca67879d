import { PgsweepError } from '../../../base/errors.ts';
import { createRandom } from '../../../base/random.ts';
import { bulkModule, isSampleData } from '../../../journal/sample.ts';
import type { BulkSpec } from '../../../journal/scenario-record.ts';
import { errorOfModule, importFunction } from '../module-workload.ts';
import { contentFault } from '../requests/content-fault.ts';
import { isMethod } from '../requests/request-fault.ts';
import type { BulkModule, BulkRequest } from '../workload-module.ts';
import type { BulkRequests } from './pass.ts';
import { requestsOfFile } from './requests-file.ts';

/** `token` is what the arm's login has fetched. */
interface Asker {
  readonly seed: number;
  readonly token?: string | undefined;
}

/** The requests that load a data set. This, or reading them, throws PgsweepError `dataset` or `load`. */
export async function requestsOf(dataset: BulkSpec['dataset'], asker: Asker): Promise<BulkRequests> {
  if (dataset.kind === 'file') return () => requestsOfFile(dataset);
  return requestsOfModule(isSampleData(dataset) ? bulkModule(dataset) : dataset, asker);
}

/** The first of them, which comes after no other. Throws as `requestsOf`. */
export async function firstRequestOf(dataset: BulkSpec['dataset'], asker: Asker): Promise<BulkRequest> {
  for await (const request of (await requestsOf(dataset, asker))({ onIndexed: () => {} })) return request;
  throw new PgsweepError('dataset', `load.bulk has no requests${placeOf(dataset)}`);
}

function placeOf(dataset: BulkSpec['dataset']): string {
  if (dataset.kind === 'file') return `: ${dataset.file} has no lines`;
  return dataset.kind === 'module' ? `: ${dataset.module} yields none` : '';
}

const HINT = 'It should be: export default function* ({ random, token, options }) { yield { path, body } }';

type ModuleSpec = Pick<Extract<BulkSpec['dataset'], { readonly kind: 'module' }>, 'module' | 'options'>;

async function requestsOfModule({ module, options = {} }: ModuleSpec, { seed, token }: Asker): Promise<BulkRequests> {
  const make = await importFunction<BulkModule>(module, 'default', HINT);
  return async function* ({ onIndexed: total }): AsyncGenerator<BulkRequest> {
    try {
      // Equal in each pass of an update, and for each arm.
      const made: unknown = make({
        random: createRandom(seed),
        ...(token !== undefined && { token }),
        options,
        total,
      });
      if (!isIterable(made)) throw wrong(module, `its default export returned ${typeof made}, nothing to go through`);
      let number = 0;
      for await (const request of made) {
        number++;
        if (typeof request?.path !== 'string' || !request.path.startsWith('/'))
          throw wrong(module, `its request ${number} has no path that begins with /`);
        if (!isMethod(request.method)) throw wrong(module, `its request ${number} has a method that is none`);
        const fault = contentFault(request);
        if (fault !== null) throw wrong(module, `${fault} (request ${number})`);
        yield request;
      }
    } catch (error) {
      throw errorOfModule(module, error);
    }
  };
}

function isIterable(value: unknown): value is ReturnType<BulkModule> {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

function wrong(file: string, reason: string): PgsweepError {
  return new PgsweepError('load', `the bulk module ${file} cannot be used: ${reason}`, { hint: HINT });
}
