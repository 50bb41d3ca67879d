/** llhttp, Node's own HTTP parser, as undici brings it along. Its types leave it out. */
declare module 'undici/lib/llhttp/llhttp-wasm.js' {
  const wasm: Buffer;
  export default wasm;
}

/** The part of it that is used here; the types of Node leave it out. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>);
    readonly exports: unknown;
  }
}
