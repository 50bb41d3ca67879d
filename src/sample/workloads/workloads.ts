import { PgsweepError } from '../../base/errors.ts';
import type { BuiltInWorkload } from '../../journal/scenario-record.ts';
import type { RequestSource } from '../../measure/load/request-source.ts';
import { weightedPick } from '../../measure/load/requests/declared-requests.ts';
import type { GeneratedRequest } from '../../measure/load/requests/generated-request.ts';
import type { ExampleDocument, WorkloadContext } from '../../measure/load/workload-module.ts';
import { isReferenceKind, type ReferenceKind, referenceWorkload } from './reference-workloads.ts';

const SCHOOLS = '/ed-fi/schools';
const JSON_HEADERS = { 'content-type': 'application/json' };

/** The kinds of request that the workloads mix, with how often each comes. */
const mixes: Record<BuiltInWorkload, Readonly<Partial<Record<Kind, number>>>> = {
  // Inserts and updates in equal parts, separate in the report: a load that quietly becomes all updates tests another thing.
  'upsert-schools': { 'insert school': 1, 'update school': 1 },
  'insert-schools': { 'insert school': 1 },
  'update-schools': { 'update school': 1 },
  'get-schools': { 'get school by id': 1 },
  'list-schools': { 'list schools': 1 },
  'get-documents': { 'get document by id': 1 },
  'list-by-reference': { 'list by reference': 1 },
  'delete-referenced': { 'delete referenced document': 1 },
};

type SchoolKind = 'insert school' | 'update school' | 'get school by id' | 'list schools';
type Kind = SchoolKind | ReferenceKind;

/** The requests of a built-in workload. Throws PgsweepError `dataset` where nothing was loaded that it could use. */
export function documentWorkload(workload: BuiltInWorkload, context: WorkloadContext): RequestSource {
  const [kind] = Object.keys(mixes[workload]) as Kind[];
  if (kind !== undefined && isReferenceKind(kind)) return referenceWorkload(kind, context);
  return schoolWorkload(workload, context);
}

function schoolWorkload(workload: BuiltInWorkload, context: WorkloadContext): RequestSource {
  const schools = context.documents.filter((document) => document.resource === 'schools');
  if (schools.length === 0) {
    throw new PgsweepError('dataset', `the workload ${workload} needs schools, and the data set has none`, {
      hint: 'Use dataset: { template: partial-grand-bend }, or a folder of Ed-Fi XML with schools.',
    });
  }
  const mix = Object.entries(mixes[workload]) as [SchoolKind, number][];
  const bodies = createTurns(context.random.shuffle(schools).map(({ body }) => body));
  const makers = mix.map(([kind], name) => maker({ kind, name, schools, bodies }, context));
  const pick = weightedPick(
    mix.map(([, weight]) => weight),
    context.random,
  );
  const [first] = makers;
  if (first === undefined) throw new RangeError(`workload ${workload} is empty`);
  return { names: mix.map(([kind]) => kind), next: () => (makers[pick()] ?? first)() };
}

interface MakerOptions {
  readonly kind: SchoolKind;
  readonly name: number;
  readonly schools: readonly ExampleDocument[];
  /** Bodies that updates go through: the loaded schools, and those that this slice has inserted. */
  readonly bodies: Turns;
}

function maker(
  { kind, name, schools, bodies }: MakerOptions,
  { random, unique }: WorkloadContext,
): () => GeneratedRequest {
  switch (kind) {
    case 'insert school':
      return () => {
        const body = { ...random.pick(schools).body, schoolId: unique() };
        bodies.add(body);
        return post(body, name);
      };
    case 'update school':
      // A changed name, so that the update is one: the same body again could be answered without writing.
      return () => post({ ...bodies.next(), nameOfInstitution: `School ${random.integer(1, 1_000_000)}` }, name);
    case 'get school by id':
      return () => ({ method: 'GET', path: `${SCHOOLS}/${random.pick(schools).id}`, name });
    case 'list schools':
      return () => ({ method: 'GET', path: `${SCHOOLS}?limit=25&offset=${random.integer(0, 25)}`, name });
  }
}

type Body = Readonly<Record<string, unknown>>;

interface Turns {
  add(body: Body): void;
  next(): Body;
}

/** This many are gone through in order; more would only take memory. */
const MOST_TURNS = 1000;
/** The newest are left alone: their inserts may still be under way. */
const NEWEST = 100;

/** Bodies in order, not at random: two updates of one school at once would make this a test of lock conflicts. */
function createTurns(bodies: Body[]): Turns {
  const loaded = bodies.length;
  let index = 0;
  return {
    add(body) {
      if (bodies.length < MOST_TURNS) bodies.push(body);
    },
    next() {
      if (index >= Math.max(loaded, bodies.length - NEWEST)) index = 0;
      return bodies[index++] as Body;
    },
  };
}

function post(body: Body, name: number): GeneratedRequest {
  return { method: 'POST', path: SCHOOLS, headers: JSON_HEADERS, body: JSON.stringify(body), name };
}
