// The parser of Node and undici, without undici's client, of which one request costs about as much as three of the
// load generator's. package.json holds undici's minor version fast, since this is one of its insides.
import wasm from 'undici/lib/llhttp/llhttp-wasm.js';

/** llhttp's own constants. */
const RESPONSE = 2;
const OK = 0;
const FAIL = -1;
const SKIP_BODY = 1;
/** As much of a body is kept where it is wanted. */
const MOST_BODY_BYTES = 2000;

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

/** Reads one answer after the other. */
export class AnswerParser {
  /** The status of the last complete answer. */
  status = 0;
  /** Whether the service keeps the connection open after it. */
  keepsAlive = false;
  /** The beginning of its body, where it was wanted. */
  body = '';
  /** Its header Location, where that was wanted; else, and where it has none, empty. */
  location = '';
  private field = '';
  private isInValue = false;
  private readonly pointer = llhttp.llhttp_alloc(RESPONSE);
  private complete = false;
  private isHead = false;
  private keepsBody = false;
  private readonly wantsBody: (status: number) => boolean;
  private readonly wantsLocation: boolean;

  constructor(wantsBody: (status: number) => boolean, wantsLocation = false) {
    this.wantsBody = wantsBody;
    this.wantsLocation = wantsLocation;
  }

  /** For a new connection. */
  reset(): void {
    llhttp.llhttp_reset(this.pointer);
  }

  /** Before each answer. That to a HEAD has no body, whatever its length says. */
  expect(isHead: boolean): void {
    this.complete = false;
    this.location = '';
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
    if (!this.wantsLocation) return OK;
    this.field = (this.isInValue ? '' : this.field) + textAt(start, length);
    this.isInValue = false;
    return OK;
  }

  onValue(start: number, length: number): number {
    if (!this.wantsLocation) return OK;
    this.isInValue = true;
    if (this.field.toLowerCase() === 'location') this.location += textAt(start, length);
    return OK;
  }

  onHeaders(status: number): number {
    // Nobody asked for another protocol.
    if (status === 101) return FAIL;
    this.status = status;
    this.body = '';
    this.keepsBody = status >= 200 && this.wantsBody(status);
    return this.isHead || status < 200 ? SKIP_BODY : OK;
  }

  onBody(start: number, length: number): number {
    if (!this.keepsBody || this.body.length >= MOST_BODY_BYTES) return OK;
    this.body += textAt(start, Math.min(length, MOST_BODY_BYTES));
    return OK;
  }

  onComplete(): number {
    // 100 Continue and 103 Early Hints come ahead of the answer.
    if (this.status < 200) return OK;
    this.complete = true;
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

/** A socket reads at most so much at once. */
let room = 64 * 1024;
let pointer = llhttp.malloc(room);
let view = new Uint8Array(llhttp.memory.buffer, pointer, room);

function textAt(start: number, length: number): string {
  return Buffer.from(llhttp.memory.buffer, start, length).toString();
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
