import { contentTypeOf } from '../../../base/content-type.ts';
import type { WorkloadRequest } from '../workload-module.ts';
import { encodedPath } from './encoded-path.ts';

/** One request, ready to be sent. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Index into the source's names. */
  readonly name: number;
}

/** A module's request, with JSON as text and the header that it needs. */
export function toGenerated(
  { method, path, headers = {}, body }: WorkloadRequest,
  otherwise: Pick<GeneratedRequest, 'method' | 'name'>,
): GeneratedRequest {
  return {
    // A method's case counts: services answer 400 to `post`, which Node's client would send as POST.
    method: method?.toUpperCase() ?? otherwise.method,
    path: encodedPath(path),
    headers: body === undefined ? headers : { ...contentTypeOf(body, headers), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    name: otherwise.name,
  };
}
