import type { FoundRequest } from './found.ts';
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
  const inAddress = (key: string, raw: string): string => redactor.inAddress(key, raw, isTemplate);
  const { segments, query } = partsOf(from.path);
  const headers = Object.entries(from.headers).filter(([name, value]) => isKeptHeader(name, value));
  const { body } = from;
  return {
    from,
    // What stands behind /reset/ or /token/ is one.
    segments: segments.map((segment, index) => inAddress(keyOfSegment(segments[index - 1]), segment)),
    query: query.map(([name, value]) => {
      const plain = inAddress('', name);
      return [plain, inAddress(plain === name ? name : '', value)] as const;
    }),
    headers: {
      ...(body?.kind === 'form' && { 'content-type': FORM }),
      ...(body?.kind === 'json' && body.type !== undefined && { 'content-type': body.type }),
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

/** Headers that a client, a browser or a proxy sets by itself, or that say who asks and from where. */
const OF_CLIENTS = new Set([
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'baggage',
  'cache-control',
  'connection',
  'content-length',
  'dnt',
  'expect',
  'forwarded',
  'host',
  'if-modified-since',
  'if-none-match',
  'keep-alive',
  'origin',
  'pragma',
  'priority',
  'purpose',
  'referer',
  'save-data',
  'te',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'upgrade',
  'upgrade-insecure-requests',
  'user-agent',
  'via',
  'x-real-ip',
  'x-requested-with',
]);

/** True if a request of a scenario probably needs the header. */
function isKeptHeader(name: string, value: string): boolean {
  const header = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(header) || /[\r\n\0]/.test(value)) return false;
  // What an answer gave is sent back.
  if (/^\$\{captured [^}]*\}$/.test(value)) return true;
  // Whatever is sent back will do.
  if (header === 'accept' && value === '*/*') return false;
  return !OF_CLIENTS.has(header) && !/^(sec-|x-forwarded-|x-b3-|x-amz?n?-trace|cf-)/.test(header);
}

/** The value for all requests: what has to be new in each is a placeholder. */
function templateOfHeader(name: string, value: string): string {
  return /^(idempotency-key|x-(request|correlation)-id)$/i.test(name) ? '${uuid}' : value;
}
