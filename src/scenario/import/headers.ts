/** What a client, a browser or a proxy sets by itself, or what says who asks and from where. */
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

/** Whether a request of a scenario needs the header, as far as anybody can tell. */
export function isKeptHeader(name: string, value: string): boolean {
  const header = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(header) || /[\r\n\0]/.test(value)) return false;
  // What an answer gave is sent back.
  if (/^\$\{captured [^}]*\}$/.test(value)) return true;
  // Whatever is sent back will do.
  if (header === 'accept' && value === '*/*') return false;
  return !OF_CLIENTS.has(header) && !/^(sec-|x-forwarded-|x-b3-|x-amz?n?-trace|cf-)/.test(header);
}

/** The value for all requests: what has to be new in each is a placeholder. */
export function templateOfHeader(name: string, value: string): string {
  return /^(idempotency-key|x-(request|correlation)-id)$/i.test(name) ? '${uuid}' : value;
}
