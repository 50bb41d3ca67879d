import pg from 'pg';
import { InvalidDocumentError } from '../model/document.ts';

/** An answer that is no success: its status, a code for programs, and a message for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly statusCode: number;
  readonly code: string;
  /** Further members of `error` in the answer. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    statusCode: number,
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.statusCode = statusCode;
    this.code = code;
    this.details = details;
  }
}

/** The database could not be reached, or went away; nothing was acknowledged. */
export function databaseUnavailable(cause: unknown): ServiceError {
  return new ServiceError(503, 'database_unavailable', 'The database cannot be reached; try again later', {}, cause);
}

const fastifyErrors: Readonly<Record<string, [status: number, code: string, message: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'body_too_large', 'The body is larger than 1 MiB'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'unsupported_media_type', 'Expected the content type application/json'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'invalid_json', 'Expected a JSON object as the body, found nothing'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'invalid_json', 'The body is not valid JSON'],
};

/** Turns whatever was thrown into an answer. What it does not know is a 500. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvalidDocumentError) {
    return new ServiceError(400, 'invalid_document', error.message, { path: error.path });
  }
  if (error instanceof pg.DatabaseError) return fromDatabase(error);
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const known = fastifyErrors['code' in error ? String(error.code) : ''];
    if (known) return new ServiceError(known[0], known[1], known[2]);
    if (error.statusCode < 500) return new ServiceError(error.statusCode, 'bad_request', error.message);
  }
  return new ServiceError(500, 'internal_error', 'The service failed; its log says more', {}, error);
}

function fromDatabase(error: pg.DatabaseError): ServiceError {
  const sqlStateClass = error.code?.slice(0, 2) ?? '';
  // 22: a value that JSON allows and Postgres does not, such as \u0000. 54: nested deeper than Postgres parses.
  if (sqlStateClass === '22' || sqlStateClass === '54') {
    return new ServiceError(400, 'invalid_value', `The database cannot store this: ${error.message}`);
  }
  if (sqlStateClass === '08' || sqlStateClass === '53' || sqlStateClass === '57') return databaseUnavailable(error);
  return new ServiceError(500, 'internal_error', 'The service failed; its log says more', {}, error);
}
