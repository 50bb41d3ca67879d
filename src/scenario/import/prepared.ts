import type { FoundRequest } from './found.ts';
import { isKeptHeader, templateOfHeader } from './headers.ts';
import { partsOf } from './routes.ts';
import { keyOfSegment, type Redactor } from './secrets.ts';

const FORM = 'application/x-www-form-urlencoded';

/** A request whose texts are templates without secrets. */
export interface Prepared {
  readonly from: FoundRequest;
  readonly segments: readonly string[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: FoundRequest['body'];
}

/** A request without its secrets, and without headers that say only who sent it. */
export function prepared(from: FoundRequest, redactor: Redactor): Prepared {
  const isTemplate = from.isTemplate === true;
  const text = (key: string, raw: string): string => redactor.text(key, raw, isTemplate);
  const { segments, query } = partsOf(from.path);
  const headers = Object.entries(from.headers).filter(([name, value]) => isKeptHeader(name, value));
  const { body } = from;
  return {
    from,
    // What stands behind /reset/ or /token/ is one.
    segments: segments.map((segment, index) => text(keyOfSegment(segments[index - 1]), segment)),
    query: query.map(([name, value]) => [name, text(name, value)] as const),
    headers: {
      ...(body?.kind === 'form' && { 'content-type': FORM }),
      ...Object.fromEntries(headers.map(([name, value]) => [name, templateOfHeader(name, text(name, value))])),
    },
    body:
      body?.kind === 'json'
        ? { kind: 'json', value: redactor.value(body.value, isTemplate) }
        : body?.kind === 'form'
          ? { kind: 'form', fields: body.fields.map(([name, value]) => [name, text(name, value)] as const) }
          : body && { kind: 'text', text: text('', body.text) },
  };
}
