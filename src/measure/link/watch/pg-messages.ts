/**
 * A message of a Postgres client, by its protocol (version 3,
 * https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
export type ClientMessage =
  /** SSLRequest or GSSENCRequest: the server answers with one byte. */
  | { readonly kind: 'encryption' }
  | { readonly kind: 'startup'; readonly parameters: readonly string[] }
  | { readonly kind: 'query'; readonly sql: string }
  /** The name is empty for a statement that lasts until the next. */
  | { readonly kind: 'parse'; readonly name: string; readonly sql: string };

/** An error that a server answers with. */
export interface ServerError {
  /** SQLSTATE. */
  readonly code: string;
  readonly text: string;
}

/** Takes the bytes of one direction as they come, and returns what became whole by them. */
export type MessageReader<Message> = (chunk: Buffer) => Message[];

const [SSL_REQUEST, GSS_REQUEST, PROTOCOL_3] = [80_877_103, 80_877_104, 3 << 16];
/** Postgres takes no longer one (MAX_STARTUP_PACKET_LENGTH). */
const MOST_STARTUP_BYTES = 10_000;

/** Reads what a client sends. After what is no such protocol it reads nothing more. */
export function readClient(): MessageReader<ClientMessage> {
  let phase: 'startup' | 'messages' | 'lost' = 'startup';
  let rest: Buffer = Buffer.alloc(0);
  const next = (): ClientMessage | null | undefined => {
    if (phase === 'startup') {
      const body = take(0);
      if (body === undefined) return undefined;
      const code = body.length < 4 ? 0 : body.readInt32BE(0);
      if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encryption' };
      phase = code === PROTOCOL_3 ? 'messages' : 'lost';
      return phase === 'lost' ? null : { kind: 'startup', parameters: namesIn(body.subarray(4)) };
    }
    const type = String.fromCharCode(rest[0] ?? 0);
    const body = take(1);
    return body === undefined ? undefined : messageOf(type, body);
  };
  /** The body after `ahead` bytes and a length; undefined while it is not whole. */
  const take = (ahead: number): Buffer | undefined => {
    if (rest.length < ahead + 4) return undefined;
    const length = rest.readInt32BE(ahead);
    const isNone = length < 4 || (ahead === 0 && length > MOST_STARTUP_BYTES);
    if (isNone) phase = 'lost';
    if (isNone || rest.length < ahead + length) return undefined;
    const body = rest.subarray(ahead + 4, ahead + length);
    rest = rest.subarray(ahead + length);
    return body;
  };
  return (chunk) => {
    const messages: ClientMessage[] = [];
    if (phase === 'lost') return messages;
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let message = next(); message !== undefined; message = next()) {
      if (message !== null) messages.push(message);
      if (isLost()) break;
    }
    return messages;
  };

  function isLost(): boolean {
    return phase === 'lost';
  }
}

function messageOf(type: string, body: Buffer): ClientMessage | null {
  if (type === 'Q') return { kind: 'query', sql: textsIn(body, 1)[0] ?? '' };
  if (type !== 'P') return null;
  const [name = '', sql = ''] = textsIn(body, 2);
  return { kind: 'parse', name, sql };
}

/** How a server agrees to SSLRequest and to GSSENCRequest. */
const ENCRYPTS = /[SG]/;

/** Reads the errors of a server as long as its answers are not encrypted. `answersByte` tells that the next byte answers SSLRequest. */
export function readServer(): { readonly read: MessageReader<ServerError>; readonly answersByte: () => void } {
  let bytes = 0;
  let rest: Buffer = Buffer.alloc(0);
  let isEncrypted = false;
  return {
    answersByte: () => void bytes++,
    read(chunk) {
      // What looks like the length of a message would have all of it kept.
      if (isEncrypted) return [];
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const skipped = Math.min(bytes, rest.length);
      bytes -= skipped;
      isEncrypted = ENCRYPTS.test(rest.toString('latin1', 0, skipped));
      rest = isEncrypted ? Buffer.alloc(0) : rest.subarray(skipped);
      const errors: ServerError[] = [];
      while (rest.length >= 5) {
        const length = Math.max(4, rest.readInt32BE(1));
        if (rest.length < 1 + length) break;
        if (String.fromCharCode(rest[0] ?? 0) === 'E') errors.push(errorOf(rest.subarray(5, 1 + length)));
        rest = rest.subarray(1 + length);
      }
      return errors;
    },
  };
}

function errorOf(body: Buffer): ServerError {
  const fields = new Map(textsIn(body, Number.POSITIVE_INFINITY).map((field) => [field.slice(0, 1), field.slice(1)]));
  return { code: fields.get('C') ?? '', text: fields.get('M') ?? '' };
}

/** Texts that each end with a zero, this many at most. */
function textsIn(body: Buffer, most: number): string[] {
  const texts: string[] = [];
  let from = 0;
  while (texts.length < most) {
    const end = body.indexOf(0, from);
    if (end < 0) break;
    texts.push(body.toString('utf8', from, end));
    from = end + 1;
  }
  return texts;
}

/** The names, where names and values alternate. */
function namesIn(body: Buffer): string[] {
  return textsIn(body, Number.POSITIVE_INFINITY).filter((name, index) => index % 2 === 0 && name !== '');
}
