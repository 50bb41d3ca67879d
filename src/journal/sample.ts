/**
 * All that src knows of the document service that comes with the bench: its words in a scenario, a journal and a command line,
 * and the programs and modules that they stand for. In all else it is a service like any other.
 */
import { fileURLToPath } from 'node:url';
import { baseName } from '../base/files/base-name.ts';
import { count, fields, number, oneOf, text, type ValueOf } from './shape.ts';

/** One of its programs or modules: TypeScript in a clone; in a package, what the build makes of it. */
function partOf(name: string): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL(`../../scenarios/services/documents/${name}.ts`, import.meta.url)
    : new URL(`../documents/${name}.js`, import.meta.url);
}

export const sampleService = {
  service: 'documents',
  title: 'the document service',
  program: partOf('service/main'),
  ready: '/health',
  readyTimeoutMs: 30_000,
  stopTimeoutMs: 10_000,
  portVariable: 'PORT',
  databaseUrlVariable: 'DATABASE_URL',
  /** The variable of its pool's size, and the size where the variable is not set. */
  pool: { variable: 'POOL_MAX', unset: 10 },
  /** Settings of each of its sessions, over its database's. */
  sessionSettings: { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' },
  /** Requests that begin so are answered only with this environment. */
  admin: { path: '/admin/', variable: 'ADMIN', value: 'on' },
  /** Environment without search. */
  searchOff: 'SEARCH_MODE=off',
} as const;

/** True if the sample service's sessions override a setting of the database. */
export function isSetBySample(setting: string): boolean {
  return Object.hasOwn(sampleService.sessionSettings, setting.toLowerCase());
}

/** Variables with which it would refuse to start, and why. `hasSearch`: the stack has OpenSearch. */
export function refusedBySample(
  { SEARCH_MODE: mode = 'off', QUERY_FROM: source, OPENSEARCH_URL: url }: Readonly<Partial<Record<string, string>>>,
  hasSearch: boolean,
): { readonly variable: string; readonly message: string }[] {
  const searches = mode !== 'off' && !hasSearch && url === undefined;
  const finds = mode === 'off' && source === 'opensearch';
  return [
    ...(searches
      ? [
          {
            variable: 'SEARCH_MODE',
            message: `SEARCH_MODE ${mode} needs OpenSearch: expected off, or with it stack: { opensearch: on }`,
          },
        ]
      : []),
    ...(finds
      ? [
          {
            variable: 'QUERY_FROM',
            message:
              'QUERY_FROM opensearch finds nothing where SEARCH_MODE is off: expected postgres, or a SEARCH_MODE such as per-document, with stack: { opensearch: on }',
          },
        ]
      : []),
  ];
}

/** The workloads that come with it. */
export const builtInWorkloads = [
  'upsert-schools',
  'insert-schools',
  'update-schools',
  'get-schools',
  'list-schools',
  'get-documents',
  'list-by-reference',
  'delete-referenced',
] as const;

export type BuiltInWorkload = (typeof builtInWorkloads)[number];
export const builtInWorkload = oneOf(...builtInWorkloads);

/** The workload where a scenario names none: of a plain load, and after a bulk load. */
export const usualWorkload = { load: 'upsert-schools', reads: 'get-documents' } as const;

/** True if each of its requests is one transaction; what reads cost is their own affair. */
export function isOneTransaction(workload: BuiltInWorkload): boolean {
  return ['upsert-schools', 'insert-schools', 'update-schools'].includes(workload);
}

/** True if each of its requests makes a document. */
export function onlyInserts(workload: BuiltInWorkload): boolean {
  return workload === 'insert-schools';
}

/** The module that makes a workload's requests, and its options. */
export function workloadModule(workload: BuiltInWorkload) {
  return { module: fileURLToPath(partOf('workloads/module')), options: { workload } };
}

/** The generated data sets. */
export const templates = ['partial-grand-bend', 'grand-bend', 'southridge'] as const;

export type TemplateName = (typeof templates)[number];

export const usualTemplate: TemplateName = 'partial-grand-bend';

/** How many documents a template has where the scenario does not say. */
export const defaultTemplateDocuments: Readonly<Record<TemplateName, number>> = {
  'partial-grand-bend': 2000,
  'grand-bend': 20_000,
  southridge: 100_000,
};

/** Number of documents in each whole template. */
export const wholeDocuments: Readonly<Record<TemplateName, number>> = {
  ...defaultTemplateDocuments,
  // As many as Ed-Fi's template has. A sweep takes fewer, since it loads them for every arm of every round.
  'partial-grand-bend': 9126,
};

export interface TemplateSpec extends ValueOf<typeof templateSpec> {}
const templateSpec = fields({ kind: oneOf('template'), template: oneOf(...templates), documents: count, seed: number });

/** The key of data in a folder, and the kind in a journal. */
export const folderKey = 'edfi';

export interface EdFiSpec extends ValueOf<typeof edfiSpec> {}
const edfiSpec = fields({ kind: oneOf(folderKey), folder: text });

/** Kinds of data that it understands. */
export const sampleData = { template: templateSpec, [folderKey]: edfiSpec };

export type SampleData = TemplateSpec | EdFiSpec;

/** Its empty tables: what a bulk load starts from. */
export const emptyTables = { kind: 'schema' } as const;

/** Keys of a scenario and options of `bulk-load` that name its data. */
export const sampleWords = {
  template: 'generated data in the manner of the Ed-Fi template of that name',
  folder: 'a folder of Ed-Fi interchange XML',
} as const;

/** Resources that a table counts together: there are 200 kinds of them. */
export const manyResources = {
  name: 'descriptors',
  isOne: (resource: string) => resource.endsWith('Descriptors'),
} as const;

/** How fast it takes documents in on the two-core machine that the bench was built on, with 25 connections. */
export const documentsPerSecond = 900;
/** How many documents a folder holds is known only when it is read; Ed-Fi's smallest template has about this many. */
const FOLDER_DOCUMENTS = 9000;

/** True for data of the sample service. */
export function isSampleData<Spec extends { readonly kind: string }>(
  spec: Spec,
): spec is Extract<Spec, { readonly kind: keyof typeof sampleData }> {
  return Object.hasOwn(sampleData, spec.kind);
}

/** True for data that is generated, to any size. A folder is loaded whole: what part of it stands by itself is not known. */
export function isGenerated<Spec extends { readonly kind: string }>(
  spec: Spec,
): spec is Extract<Spec, { readonly kind: 'template' }> {
  return spec.kind === 'template';
}

/** True for a folder, whose first document may take its time. */
export function isFolder({ kind }: { readonly kind: string }): boolean {
  return kind === folderKey;
}

/** About how many requests a data set makes, of any service. */
export function documentsIn({ documents = FOLDER_DOCUMENTS }: { readonly kind: string; readonly documents?: number }) {
  return documents;
}

/** The options of its bulk module and of its dataset command; none for its empty tables. */
function dataOptions(spec: SampleData | typeof emptyTables): Readonly<Record<string, string | number>> {
  if (spec.kind === 'schema') return {};
  if (spec.kind === folderKey) return { [folderKey]: spec.folder };
  const { template, documents, seed } = spec;
  return { template, documents, seed };
}

/** The module that sends a data set, and its options. */
export function bulkModule(spec: SampleData) {
  return { kind: 'module', module: fileURLToPath(partOf('bulk/module')), options: dataOptions(spec) } as const;
}

/** The program that fills an empty database, its arguments, and the name of the data for people. */
export function datasetProgram(spec: SampleData | typeof emptyTables) {
  const args = Object.entries(dataOptions(spec)).map(([name, value]) => `--${name}=${value}`);
  return { program: partOf('dataset/main'), args, name: nameOf(spec) };
}

function nameOf(spec: SampleData | typeof emptyTables): string {
  if (spec.kind === 'schema') return 'the tables of the document service, empty';
  if (spec.kind === folderKey) return `Ed-Fi XML in ${baseName(spec.folder)}`;
  return `${spec.template}, ${spec.documents} documents, seed ${spec.seed}`;
}
