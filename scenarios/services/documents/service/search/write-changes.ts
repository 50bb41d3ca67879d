import type { Client } from '@opensearch-project/opensearch';
import type { IndexChange } from './change.ts';
import type { FailureKind, SearchFailure, SearchOperation } from './failure.ts';
import { failureOf, failureOfAnswer } from './failure.ts';
import type { Indices } from './indices.ts';

/** How calls to OpenSearch are made, and where their failures go. */
export interface SearchCalls {
  readonly client: Client;
  readonly indices: Indices;
  timed<T>(operation: SearchOperation, call: () => Promise<T>): Promise<T>;
  /** Counts and logs; `count` is of documents. */
  fail(operation: SearchOperation, failure: SearchFailure, count?: number): void;
}

const refreshed = { refresh: true };

/** Makes one change, seen by the next query. Never rejects. */
export async function writeOne(calls: SearchCalls, change: IndexChange): Promise<void> {
  const { client, indices, timed, fail } = calls;
  const { operation, resourceName, uuid } = change;
  if (!(await ensureAll(calls, [change]))) return;
  const path = `/${encodeURIComponent(indices.nameOf(resourceName))}/_doc/${uuid}`;
  try {
    await timed(operation, () =>
      change.operation === 'index'
        ? client.transport.request({ method: 'PUT', path, body: change.sourceJson, querystring: refreshed })
        : // What came with the data set is in no index.
          client.transport.request({ method: 'DELETE', path, querystring: refreshed }, { ignore: [404] }),
    );
  } catch (error) {
    fail(operation, failureOf(error));
  }
}

/** Makes changes, in order, by one call. Never rejects. */
export async function writeBulk(
  calls: SearchCalls,
  changes: readonly IndexChange[],
  { refresh }: { readonly refresh: boolean },
): Promise<void> {
  const { client, indices, timed } = calls;
  const makeable = await withIndices(calls, changes);
  if (makeable.length === 0) return;
  const body = makeable.map((change) => {
    const action = JSON.stringify({
      [change.operation]: { _index: indices.nameOf(change.resourceName), _id: change.uuid },
    });
    return change.operation === 'index' ? `${action}\n${change.sourceJson}\n` : `${action}\n`;
  });
  try {
    const request = { method: 'POST', path: '/_bulk', bulkBody: body.join(''), querystring: { refresh } };
    const answer = await timed('bulk', () => client.transport.request(request));
    if (answer.body.errors) countItems(calls, answer.body.items);
  } catch (error) {
    failAll(calls, makeable, failureOf(error));
  }
}

function countItems({ fail }: SearchCalls, items: readonly BulkItem[]): void {
  for (const item of items) {
    const { index, delete: deleted } = item;
    if (index?.error) fail('index', failureOfAnswer(index.status, index.error));
    // A missing document has no error, a missing index has.
    if (deleted?.error && deleted.status !== 404) fail('delete', failureOfAnswer(deleted.status, deleted.error));
  }
}

interface BulkItem {
  readonly index?: BulkAnswer;
  readonly delete?: BulkAnswer;
}

interface BulkAnswer {
  readonly status?: number;
  readonly error?: unknown;
}

/** Fails the changes whose index cannot be made, and returns the others. */
async function withIndices(calls: SearchCalls, changes: readonly IndexChange[]): Promise<readonly IndexChange[]> {
  const byResource = new Map<string, [IndexChange, ...IndexChange[]]>();
  for (const change of changes) {
    const group = byResource.get(change.resourceName);
    if (group) group.push(change);
    else byResource.set(change.resourceName, [change]);
  }
  const lost = new Set<string>();
  for (const [resourceName, group] of byResource) if (!(await ensureAll(calls, group))) lost.add(resourceName);
  return lost.size === 0 ? changes : changes.filter(({ resourceName }) => !lost.has(resourceName));
}

/**
 * Makes the index of some changes of one resource; false, with the changes counted as failed, where that fails. Without
 * it OpenSearch would make its own index, with other types and a replica that never comes.
 */
async function ensureAll(calls: SearchCalls, changes: readonly [IndexChange, ...IndexChange[]]): Promise<boolean> {
  try {
    await calls.indices.ensure(changes[0].resourceName);
    return true;
  } catch (error) {
    const failure = failureOf(error);
    calls.fail('create_index', failure);
    failAll(calls, changes, failure);
    return false;
  }
}

/** Counts changes that have failed together. */
export function failAll(
  { fail }: Pick<SearchCalls, 'fail'>,
  changes: readonly IndexChange[],
  failure: { readonly kind: FailureKind; readonly reason: string },
): void {
  for (const operation of ['index', 'delete'] as const) {
    const count = changes.filter((change) => change.operation === operation).length;
    if (count > 0) fail(operation, failure, count);
  }
}
