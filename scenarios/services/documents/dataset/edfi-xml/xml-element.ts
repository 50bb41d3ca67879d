import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { SaxesParser, type SaxesTag } from 'saxes';
import { DatasetError, messageOf } from '../../errors.ts';

/** Where something stands in a data set: both numbers count from 1. */
export interface Location {
  file: string;
  line: number;
  column: number;
}

/** An element with all that is in it. */
export interface XmlElement {
  /** Without a namespace prefix. */
  name: string;
  /** The attributes of Ed-Fi's reference mechanism; there are no others. */
  id: string | null;
  ref: string | null;
  /** Without the white space around it. */
  text: string;
  children: XmlElement[];
  location: Location;
}

/** A file of a data set: `path` to open it, `name` to speak of it. */
export interface EdFiFile {
  path: string;
  name: string;
}

/** An error in a data set that says where. */
export function errorAt(
  location: Location,
  message: string,
  options?: { hint?: string; cause?: unknown },
): DatasetError {
  return new DatasetError(`${location.file}:${location.line}:${location.column}: ${message}`, options);
}

/** No other name can become a key that means something else to JavaScript, such as `__proto__`. */
const edFiName = /^[A-Z][A-Za-z0-9]*$/;

/** Deeper than any Ed-Fi element, shallow enough for the stack. */
const depthMax = 32;

/** Reads the elements below the root one by one, in memory one chunk and the element that is under way. */
export async function* readElements(file: EdFiFile): AsyncGenerator<XmlElement> {
  const builder = new ElementBuilder(file.name);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  // Larger chunks are no faster, and their elements grow old together: memory that comes back late.
  const chunks = createReadStream(file.path, { highWaterMark: 64 * 1024 });
  try {
    for await (const chunk of chunks) yield* builder.write(decode(decoder, builder, chunk as Buffer));
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    throw new DatasetError(`${file.name}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
  yield* builder.write(decode(decoder, builder));
  yield* builder.close();
}

function decode(decoder: TextDecoder, builder: ElementBuilder, chunk?: Buffer): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch (error) {
    throw errorAt(builder.here(), 'the text from here on is not UTF-8', { cause: error });
  }
}

/** Builds elements out of a parser's events. */
class ElementBuilder {
  private readonly file: string;
  private readonly parser = new SaxesParser({ position: true });
  /** The open elements below the root, outermost first. */
  private readonly open: XmlElement[] = [];
  private rootSeen = false;
  private done: XmlElement[] = [];
  private start: Location;

  constructor(file: string) {
    this.file = file;
    this.start = this.here();
    // A parser with an error handler continues after an error, so the handler has to throw.
    this.parser.on('error', (error) => {
      throw errorAt(this.here(), `malformed XML: ${error.message.replace(/^\d+:\d+: /, '')}`, { cause: error });
    });
    this.parser.on('xmldecl', ({ encoding }) => {
      if (encoding === undefined || /^(utf-8|us-ascii)$/i.test(encoding)) return;
      throw errorAt(this.here(), `the encoding is ${encoding}, expected UTF-8`);
    });
    this.parser.on('opentagstart', (tag) => {
      this.start = this.startOf(tag.name);
    });
    this.parser.on('opentag', (tag) => this.onOpen(tag));
    this.parser.on('text', (text) => this.onText(text));
    this.parser.on('cdata', (text) => this.onText(text));
    this.parser.on('closetag', () => this.onClose());
  }

  here(): Location {
    return { file: this.file, line: this.parser.line, column: Math.max(1, this.parser.column) };
  }

  *write(text: string): Generator<XmlElement> {
    this.parser.write(text);
    yield* this.take();
  }

  *close(): Generator<XmlElement> {
    this.parser.close();
    yield* this.take();
  }

  private take(): XmlElement[] {
    const done = this.done;
    this.done = [];
    return done;
  }

  /** The parser reports a name once it has read the character after it; the `<` stands ahead of the name. */
  private startOf(name: string): Location {
    const column = this.parser.column - name.length - 1;
    return column >= 1 ? { ...this.here(), column } : { ...this.here(), line: this.parser.line - 1, column: 1 };
  }

  private onOpen(tag: SaxesTag): void {
    const name = localName(tag.name);
    if (!this.rootSeen) {
      this.rootSeen = true;
      if (name.startsWith('Interchange')) return;
      const hint = 'Keep only Ed-Fi interchange files in the folder.';
      throw errorAt(this.start, `expected an Ed-Fi interchange such as <InterchangeStandards>, found <${name}>`, {
        hint,
      });
    }
    if (!edFiName.test(name)) throw errorAt(this.start, `<${name}> is no name of Ed-Fi's: those begin with a capital`);
    if (this.open.length >= depthMax) throw errorAt(this.start, `expected at most ${depthMax} levels of elements`);
    const element = { name, id: null, ref: null, text: '', children: [], location: this.start };
    this.open.at(-1)?.children.push(element);
    this.open.push(element);
    this.readAttributes(element, tag);
  }

  private readAttributes(element: XmlElement, tag: SaxesTag): void {
    for (const [key, value] of Object.entries(tag.attributes)) {
      if (key === 'id') element.id = value;
      else if (key === 'ref') element.ref = value;
      else if (!key.startsWith('xmlns') && !key.startsWith('xsi:')) {
        throw errorAt(element.location, `<${element.name}> has an attribute '${key}', expected none but id and ref`);
      }
    }
  }

  private onText(text: string): void {
    const element = this.open.at(-1);
    if (element) element.text += text;
    else if (this.rootSeen && text.trim() !== '') throw errorAt(this.here(), 'there is text between the elements');
  }

  private onClose(): void {
    const element = this.open.pop();
    if (!element) return;
    element.text = element.text.trim();
    if (element.text !== '' && element.children.length > 0) {
      throw errorAt(element.location, `<${element.name}> has both text and elements in it`);
    }
    if (this.open.length === 0) this.done.push(element);
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}
