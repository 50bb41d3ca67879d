import { z } from 'zod';
import { type LockMode, lockModes } from './lock-mode.ts';

export const isolations = ['read-committed', 'serializable'] as const;

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
  readonly validateReferences: boolean;
}

/** An environment variable that the service cannot run with; the message is one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const lockMode = z.enum(lockModes, { error: oneOf(lockModes) }).default('share-nowait');

const environment = z.object({
  HOST: z.string().min(1, 'a host name or address').default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  DATABASE_URL: z.string({ error: databaseUrlExpected() }).refine(isPostgresUrl, databaseUrlExpected()),
  POOL_MAX: wholeNumber(1, 1000).default(10),
  LOCK_BY_DOCUMENT_UUID: lockMode,
  LOCK_BY_DOCUMENT_ID: lockMode,
  LOCK_REFERENCES: lockMode,
  LOCK_RETRIES: wholeNumber(0, 100).default(5),
  ISOLATION: z.enum(isolations, { error: oneOf(isolations) }).default('read-committed'),
  VALIDATE_REFERENCES: z.enum(['on', 'off'], { error: oneOf(['on', 'off']) }).default('on'),
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
    validateReferences: values.VALIDATE_REFERENCES === 'on',
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

function shown(value: string | undefined): string {
  if (value === undefined) return 'nothing';
  // A mistyped DATABASE_URL must not put its password into a log.
  return JSON.stringify(value.replace(/:(?!\/\/).*@/s, ':***@'));
}
