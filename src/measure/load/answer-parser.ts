// The parser of Node and undici, without undici's client, of which one request costs about as much as three of the
// load generator's. package.json holds undici's minor version fast, since this is one of its insides.
import wasm from 'undici/lib/llhttp/llhttp-wasm.js';
import { decodedBody } from './decoded-body.ts';

/** llhttp's own constants. */
const RESPONSE = 2;
const OK = 0;
const FAIL = -1;
const SKIP_BODY = 1;
/** As much of a body is kept where it is wanted and nobody says how much. */
const MOST_BODY_BYTES = 2000;
/** Stands for a header that is not kept. */
const OTHER = ' ';

interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  llhttp_alloc(type: number): number;
  llhttp_reset(parser: number): void;
  llhttp_execute(parser: number, data: number, length: number): number;
  llhttp_finish(parser: number): number;
  llhttp_should_keep_alive(parser: number): number;
}

/** `broken`: what came is no answer, or more than the one that was asked for. */
export type Parsed = 'more' | 'complete' | 'broken';

/** Parts of answers that are kept. */
interface Keeping {
  /** True if the body of an answer is kept. */
  readonly wantsBody: (status: number) => boolean;
  /** Which headers are, in lower case; none where absent. */
  readonly headers?: readonly string[];
  /** How much of a body is, in bytes. */
  readonly mostBodyBytes?: number;
}

/** A header of an answer, its name in lower case. */
export type Header = readonly [name: string, value: string];

const NO_HEADERS: readonly Header[] = [];

/** Reads one answer after the other. */
export class AnswerParser {
  /** The status of the last complete answer. */
  status = 0;
  /** True if the service keeps the connection open after it. */
  keepsAlive = false;
  /** The beginning of its body, where it was wanted; unpacked where the header that says so is kept. */
  body = '';
  /** Those of its headers that are kept, in their order. */
  headers: readonly Header[] = NO_HEADERS;
  /** The header that is being read. */
  private field = '';
  private value: string | null = null;
  private isInValue = false;
  private readonly pointer = llhttp.llhttp_alloc(RESPONSE);
  private complete = false;
  private isHead = false;
  private keepsBody = false;
  private chunks: Buffer[] = [];
  private keptBytes = 0;
  private readonly wantsBody: Keeping['wantsBody'];
  private readonly mostBodyBytes: number;
  private readonly kept: ReadonlySet<string>;
  private readonly beginnings: ReadonlySet<number>;

  constructor({ wantsBody, headers = [], mostBodyBytes = MOST_BODY_BYTES }: Keeping) {
    this.wantsBody = wantsBody;
    this.mostBodyBytes = mostBodyBytes;
    this.kept = new Set(headers);
    this.beginnings = new Set(headers.map((name) => name.charCodeAt(0)));
  }

  /** For a new connection. */
  reset(): void {
    llhttp.llhttp_reset(this.pointer);
    this.field = '';
    this.value = null;
    this.isInValue = false;
  }

  /** Before each answer. That to a HEAD has no body, whatever its length says. */
  expect(isHead: boolean): void {
    this.complete = false;
    this.headers = NO_HEADERS;
    this.isHead = isHead;
  }

  execute(chunk: Buffer): Parsed {
    const data = copyIn(chunk);
    current = this;
    if (llhttp.llhttp_execute(this.pointer, data, chunk.length) !== OK) return 'broken';
    return this.complete ? 'complete' : 'more';
  }

  /** The service has closed the connection: an answer without a length is complete by that, any other is not. */
  finish(): boolean {
    current = this;
    return llhttp.llhttp_finish(this.pointer) === OK && this.complete;
  }

  onBegin(): number {
    return this.complete ? FAIL : OK;
  }

  /** Names and values of headers come in pieces where the chunk ends within them. */
  onField(start: number, length: number): number {
    if (this.kept.size === 0 || length === 0) return OK;
    if (this.isInValue) this.endHeader();
    // Most headers are others, and to make a text of each would take longer than all the rest.
    if (this.field === '' && !this.beginnings.has(byteAt(start) | LOWER_CASE)) this.field = OTHER;
    if (this.field !== OTHER) this.field += textAt(start, length);
    return OK;
  }

  onValue(start: number, length: number): number {
    if (this.kept.size === 0) return OK;
    if (!this.isInValue) {
      this.isInValue = true;
      this.value = this.field !== OTHER && this.kept.has(this.field.toLowerCase()) ? '' : null;
    }
    if (this.value !== null && length > 0) this.value += textAt(start, length);
    return OK;
  }

  private endHeader(): void {
    if (this.value !== null) this.headers = [...this.headers, [this.field.toLowerCase(), this.value.trim()]];
    this.field = '';
    this.value = null;
    this.isInValue = false;
  }

  onHeaders(status: number): number {
    // Nobody asked for another protocol.
    if (status === 101) return FAIL;
    this.status = status;
    this.body = '';
    this.keptBytes = 0;
    if (this.chunks.length > 0) this.chunks = [];
    this.endHeader();
    // Those of 103 Early Hints are not the answer's.
    if (status < 200) this.headers = NO_HEADERS;
    this.keepsBody = status >= 200 && this.wantsBody(status);
    return this.isHead || status < 200 ? SKIP_BODY : OK;
  }

  onBody(start: number, length: number): number {
    const more = this.keepsBody ? Math.min(length, this.mostBodyBytes - this.keptBytes) : 0;
    if (more <= 0) return OK;
    // A character may stand in two chunks, so that texts are made of all of them together.
    this.chunks.push(Buffer.from(bytesAt(start, more)));
    this.keptBytes += more;
    return OK;
  }

  onComplete(): number {
    // 100 Continue and 103 Early Hints come ahead of the answer.
    if (this.status < 200) return OK;
    this.endHeader();
    this.complete = true;
    if (this.keptBytes > 0) this.body = decodedBody(Buffer.concat(this.chunks), this.headers);
    this.keepsAlive = llhttp.llhttp_should_keep_alive(this.pointer) === 1;
    return OK;
  }
}

let current: AnswerParser | null = null;
const ok = (): number => OK;
const llhttp = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
  env: {
    wasm_on_message_begin: () => current?.onBegin() ?? FAIL,
    wasm_on_url: ok,
    wasm_on_status: ok,
    wasm_on_header_field: (_: number, start: number, length: number) => current?.onField(start, length) ?? FAIL,
    wasm_on_header_value: (_: number, start: number, length: number) => current?.onValue(start, length) ?? FAIL,
    wasm_on_headers_complete: (_: number, status: number) => current?.onHeaders(status) ?? FAIL,
    wasm_on_body: (_: number, start: number, length: number) => current?.onBody(start, length) ?? FAIL,
    wasm_on_message_complete: () => current?.onComplete() ?? FAIL,
  },
}).exports as Llhttp;

/** A socket reads at most this much at once. */
let room = 64 * 1024;
let pointer = llhttp.malloc(room);
let view = new Uint8Array(llhttp.memory.buffer, pointer, room);

/** Makes an ASCII letter a small one. */
const LOWER_CASE = 0x20;

/** A byte of the chunk that was copied in last. */
function byteAt(start: number): number {
  return view[start - pointer] ?? 0;
}

/** They are llhttp's own: the next chunk overwrites them. */
function bytesAt(start: number, length: number): Buffer {
  return Buffer.from(llhttp.memory.buffer, start, length);
}

function textAt(start: number, length: number): string {
  return bytesAt(start, length).toString();
}

/** Copies a chunk to where llhttp can read it, and returns that place. */
function copyIn(chunk: Buffer): number {
  if (chunk.length > room) {
    room = chunk.length;
    pointer = llhttp.malloc(room);
  }
  // The memory of WebAssembly moves when it grows.
  if (view.buffer !== llhttp.memory.buffer || view.length !== room)
    view = new Uint8Array(llhttp.memory.buffer, pointer, room);
  view.set(chunk);
  return pointer;
}
