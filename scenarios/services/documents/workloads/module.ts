import type {
  ExampleDocument,
  NextRequest,
  WorkloadContext,
  WorkloadModule,
  WorkloadRequest,
} from '../../../../src/measure/load/workload-module.ts';
import { DatasetError } from '../errors.ts';
import type { Random } from '../random.ts';
import { isReferenceKind, type ReferenceKind, referenceWorkload } from './reference-workloads.ts';

const SCHOOLS = '/ed-fi/schools';

type SchoolKind = 'insert school' | 'update school' | 'get school by id' | 'list schools';
type Kind = SchoolKind | ReferenceKind;

/** The kinds of request that the workloads mix, with how often each comes. */
const mixes: Readonly<Record<string, Readonly<Partial<Record<Kind, number>>>>> = {
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

/** The requests of the workload that `options` name. Throws DatasetError where nothing was loaded that it could use. */
const documentWorkload: WorkloadModule = (context) => {
  const { workload } = context.options;
  const mix = mixes[String(workload)];
  if (mix === undefined)
    throw new DatasetError(`There is no workload ${workload}`, {
      hint: `Expected options: { workload }, one of ${Object.keys(mixes).join(', ')}.`,
    });
  const [kind] = Object.keys(mix);
  if (kind !== undefined && isReferenceKind(kind)) return referenceWorkload(kind, context);
  return schoolWorkload(String(workload), Object.entries(mix) as [SchoolKind, number][], context);
};

export default documentWorkload;

function schoolWorkload(workload: string, mix: readonly [SchoolKind, number][], context: WorkloadContext): NextRequest {
  const schools = context.documents.filter((document) => document.resource === 'schools');
  if (schools.length === 0) {
    throw new DatasetError(`the workload ${workload} needs schools, and the data set has none`, {
      hint: 'Use dataset: { template: partial-grand-bend }, or a folder of Ed-Fi XML with schools.',
    });
  }
  const bodies = createTurns(context.random.shuffle(schools).map(({ body }) => body));
  const makers = mix.map(([kind]) => maker({ kind, schools, bodies }, context));
  const pick = weightedPick(
    mix.map(([, weight]) => weight),
    context.random,
  );
  const [first] = makers;
  if (first === undefined) throw new RangeError(`workload ${workload} is empty`);
  return Object.assign(() => (makers[pick()] ?? first)(), { names: mix.map(([kind]) => kind) });
}

/** Draws an index in proportion to the weights. */
function weightedPick(weights: readonly number[], random: Pick<Random, 'next'>): () => number {
  let sum = 0;
  const bounds = weights.map((weight) => (sum += weight));
  return () => {
    const point = random.next() * sum;
    return bounds.findIndex((bound) => point < bound);
  };
}

interface MakerOptions {
  readonly kind: SchoolKind;
  readonly schools: readonly ExampleDocument[];
  /** Bodies that updates go through: the loaded schools, and those that this slice has inserted. */
  readonly bodies: Turns;
}

function maker({ kind, schools, bodies }: MakerOptions, { random, unique }: WorkloadContext): () => WorkloadRequest {
  switch (kind) {
    case 'insert school':
      return () => {
        const body = { ...random.pick(schools).body, schoolId: unique() };
        bodies.add(body);
        return { method: 'POST', path: SCHOOLS, body, name: kind };
      };
    case 'update school':
      // A changed name, so that the update is one: the same body again could be answered without writing.
      return () => {
        const body = { ...bodies.next(), nameOfInstitution: `School ${random.integer(1, 1_000_000)}` };
        return { method: 'POST', path: SCHOOLS, body, name: kind };
      };
    case 'get school by id':
      return () => ({ path: `${SCHOOLS}/${random.pick(schools).id}`, name: kind });
    case 'list schools':
      return () => ({ path: `${SCHOOLS}?limit=25&offset=${random.integer(0, 25)}`, name: kind });
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
