import { PgsweepError } from '../base/errors.ts';
import type { BuiltInWorkload } from '../journal/scenario-record.ts';
import { weightedPick } from './declared-requests.ts';
import type { ExampleDocument, GeneratedRequest, RequestSource, WorkloadContext } from './request-source.ts';

const SCHOOLS = '/ed-fi/schools';
const JSON_HEADERS = { 'content-type': 'application/json' };

/** The kinds of request that the workloads mix, with how often each comes. */
const mixes: Record<BuiltInWorkload, Readonly<Partial<Record<Kind, number>>>> = {
  // Inserts and updates in equal parts, told apart in the report: a load that quietly becomes all updates tests another thing.
  'upsert-schools': { 'insert school': 1, 'update school': 1 },
  'insert-schools': { 'insert school': 1 },
  'update-schools': { 'update school': 1 },
  'get-schools': { 'get school by id': 1 },
  'list-schools': { 'list schools': 1 },
};

type Kind = 'insert school' | 'update school' | 'get school by id' | 'list schools';

/** The requests of a built-in workload. Throws PgsweepError `dataset` where no school was loaded. */
export function documentWorkload(workload: BuiltInWorkload, context: WorkloadContext): RequestSource {
  const schools = context.documents.filter((document) => document.resource === 'schools');
  if (schools.length === 0) {
    throw new PgsweepError('dataset', `the workload ${workload} needs schools, and the data set has none`, {
      hint: 'Use dataset: { template: partial-grand-bend }, or a folder of Ed-Fi XML with schools.',
    });
  }
  const mix = Object.entries(mixes[workload]) as [Kind, number][];
  const makers = mix.map(([kind], name) => maker(kind, name, schools, context));
  const pick = weightedPick(
    mix.map(([, weight]) => weight),
    context.random,
  );
  const [first] = makers;
  if (first === undefined) throw new RangeError(`workload ${workload} is empty`);
  return { names: mix.map(([kind]) => kind), next: () => (makers[pick()] ?? first)() };
}

function maker(
  kind: Kind,
  name: number,
  schools: readonly ExampleDocument[],
  { random, unique }: WorkloadContext,
): () => GeneratedRequest {
  switch (kind) {
    case 'insert school':
      return () => post({ ...random.pick(schools).body, schoolId: unique() }, name);
    case 'update school': {
      // In turn, not at random: two updates of one school at once would make this a test of lock conflicts.
      const turn = inTurn(random.shuffle(schools));
      // A changed name, so that the update is one: the same body again could be answered without writing.
      return () => post({ ...turn().body, nameOfInstitution: `School ${random.integer(1, 1_000_000)}` }, name);
    }
    case 'get school by id':
      return () => ({ method: 'GET', path: `${SCHOOLS}/${random.pick(schools).id}`, name });
    case 'list schools':
      return () => ({ method: 'GET', path: `${SCHOOLS}?limit=25&offset=${random.integer(0, 25)}`, name });
  }
}

function inTurn<T>(items: readonly T[]): () => T {
  let index = 0;
  return () => items[index++ % items.length] as T;
}

function post(body: Readonly<Record<string, unknown>>, name: number): GeneratedRequest {
  return { method: 'POST', path: SCHOOLS, headers: JSON_HEADERS, body: JSON.stringify(body), name };
}
