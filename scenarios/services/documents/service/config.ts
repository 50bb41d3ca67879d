import { z } from 'zod';
import { DEFAULT_POOL_SIZE } from '../model/service-facts.ts';
import { type LockMode, lockModes } from './lock-mode.ts';

/** When a write's document goes into the search index. */
const searchModes = [
  /** Never. */
  'off',
  /** After COMMIT, before the answer, by its own call that refreshes the index, as Meadowlark does. */
  'per-document',
  /** After COMMIT, before the answer, in one refreshing call for all writes of the same few milliseconds. */
  'bulk',
  /** After the answer, from a queue, with the refresh that OpenSearch makes by itself every second. */
  'async',
] as const;

type SearchMode = (typeof searchModes)[number];

/** Where list queries are answered from. */
const querySources = ['postgres', 'opensearch'] as const;

type QuerySource = (typeof querySources)[number];

const isolations = ['read-committed', 'serializable'] as const;
/** How a write sends statements that need none of each other's answers. */
const statementModes = ['pipelined', 'awaited'] as const;

export interface ServiceConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly databaseUrl: string;
  readonly poolMax: number;
  readonly lockByDocumentUuid: LockMode;
  readonly lockByDocumentId: LockMode;
  readonly lockReferences: LockMode;
  /** How often a write starts again after a conflict, before it is answered with 409. */
  readonly lockRetries: number;
  readonly isolation: (typeof isolations)[number];
  readonly statements: (typeof statementModes)[number];
  /** True if statements are prepared under names, which last as long as a connection of the database. */
  readonly prepared: boolean;
  readonly validateReferences: boolean;
  readonly searchMode: SearchMode;
  /** Null only where neither writes nor queries need it. */
  readonly openSearchUrl: string | null;
  /** The beginning of every index name, so that several services can share one OpenSearch. */
  readonly indexPrefix: string;
  /** How many documents may wait to be indexed in the mode `async`, before writes wait too. */
  readonly searchQueueMax: number;
  readonly queryFrom: QuerySource;
  /** True if clients on this machine may change settings while the service runs. */
  readonly admin: boolean;
}

/** An environment variable that the service cannot run with; the message is one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const openSearchUrlExpected = 'a URL such as http://127.0.0.1:9200';

const lockMode = z.enum(lockModes, { error: oneOf(lockModes) }).default('share-nowait');

const environment = z
  .object({
    HOST: z.string().min(1, 'a host name or address').default('127.0.0.1'),
    PORT: wholeNumber(0, 65_535).default(3000),
    DATABASE_URL: z.string({ error: databaseUrlExpected() }).refine(isPostgresUrl, databaseUrlExpected()),
    POOL_MAX: wholeNumber(1, 1000).default(DEFAULT_POOL_SIZE),
    LOCK_BY_DOCUMENT_UUID: lockMode,
    LOCK_BY_DOCUMENT_ID: lockMode,
    LOCK_REFERENCES: lockMode,
    LOCK_RETRIES: wholeNumber(0, 100).default(5),
    ISOLATION: z.enum(isolations, { error: oneOf(isolations) }).default('read-committed'),
    STATEMENTS: z.enum(statementModes, { error: oneOf(statementModes) }).default('pipelined'),
    PREPARED: z.enum(['on', 'off'], { error: oneOf(['on', 'off']) }).default('on'),
    VALIDATE_REFERENCES: z.enum(['on', 'off'], { error: oneOf(['on', 'off']) }).default('on'),
    SEARCH_MODE: z.enum(searchModes, { error: oneOf(searchModes) }).default('off'),
    OPENSEARCH_URL: z.string().refine(isHttpUrl, openSearchUrlExpected).optional(),
    OPENSEARCH_INDEX_PREFIX: z
      .string()
      .regex(/^([a-z0-9][a-z0-9_-]{0,99})?$/, 'lower-case letters, digits, - and _, at most 100')
      .default(''),
    SEARCH_QUEUE_MAX: wholeNumber(1, 1_000_000).default(10_000),
    QUERY_FROM: z.enum(querySources, { error: oneOf(querySources) }).default('postgres'),
    ADMIN: z.enum(['on', 'off'], { error: oneOf(['on', 'off']) }).default('off'),
  })
  .superRefine(({ SEARCH_MODE, OPENSEARCH_URL, QUERY_FROM }, context) => {
    const issue = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (SEARCH_MODE !== 'off' && OPENSEARCH_URL === undefined) {
      issue('OPENSEARCH_URL', `${openSearchUrlExpected}, since SEARCH_MODE is ${SEARCH_MODE}`);
    }
    if (SEARCH_MODE === 'off' && QUERY_FROM === 'opensearch') {
      issue('QUERY_FROM', 'postgres, since SEARCH_MODE is off and nothing is indexed');
    }
  });

/** Reads the configuration from environment variables. Throws `ConfigError`, naming every variable that is wrong. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): ServiceConfig {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      return `${name}: expected ${issue.message}, found ${shown(env[name])}`;
    });
    throw new ConfigError(problems.join('; '));
  }
  const values = parsed.data;
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL,
    poolMax: values.POOL_MAX,
    lockByDocumentUuid: values.LOCK_BY_DOCUMENT_UUID,
    lockByDocumentId: values.LOCK_BY_DOCUMENT_ID,
    lockReferences: values.LOCK_REFERENCES,
    lockRetries: values.LOCK_RETRIES,
    isolation: values.ISOLATION,
    statements: values.STATEMENTS,
    prepared: values.PREPARED === 'on',
    validateReferences: values.VALIDATE_REFERENCES === 'on',
    searchMode: values.SEARCH_MODE,
    openSearchUrl: values.OPENSEARCH_URL ?? null,
    indexPrefix: values.OPENSEARCH_INDEX_PREFIX,
    searchQueueMax: values.SEARCH_QUEUE_MAX,
    queryFrom: values.QUERY_FROM,
    admin: values.ADMIN === 'on',
  };
}

function wholeNumber(low: number, high: number) {
  const expected = `a whole number from ${low} to ${high}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error: expected, abort: true })
    .transform(Number)
    .refine((value) => value >= low && value <= high, expected);
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(', ')}`;
}

function databaseUrlExpected(): string {
  return 'a URL such as postgres://user:password@127.0.0.1:5432/database';
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.canParse(text) ? new URL(text).protocol : '');
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '');
}

function shown(value: string | undefined): string {
  if (value === undefined) return 'nothing';
  // A mistyped DATABASE_URL must not put its password into a log.
  return JSON.stringify(value.replace(/:(?!\/\/).*@/s, ':***@'));
}
