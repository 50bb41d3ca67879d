import { extname } from 'node:path';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { readTextUpTo, TextTooLong } from '../../base/files/read-text.ts';
import type { Found } from './found.ts';
import { type Mix, type MixOptions, mixOf } from './mix.ts';

interface SourceKind {
  /** True of a file that is one, by its name and its beginning. */
  readonly fits: (name: string, beginning: string) => boolean;
  readonly mostMb: number;
  /** Its parser is loaded when it is needed: no other command has to wait for it. */
  readonly load: () => Promise<(text: string, file: string) => Found | Promise<Found>>;
}

const MB = 1024 * 1024;
/** The part of a file by which its kind is recognised. */
const BEGINNING = 64 * 1024;

/** Kinds of source that a scenario can be made from; the first that fits is taken. */
const kinds = {
  har: {
    fits: (name, beginning) => extname(name) === '.har' || /^\s*\{\s*"log"\s*:\s*\{/.test(beginning),
    mostMb: 64,
    load: async () => (await import('./sources/har.ts')).readHar,
  },
  openapi: {
    fits: (name, beginning) =>
      /^\.(ya?ml|json)$/.test(extname(name)) && /(^|[\s{,])["']?(openapi|swagger)["']?\s*:/.test(beginning),
    mostMb: 16,
    load: async () => (await import('./sources/open-api.ts')).readOpenApi,
  },
  'access-log': {
    fits: () => true,
    mostMb: 64,
    load: async () => (await import('./sources/access-log.ts')).readAccessLog,
  },
} as const satisfies Record<string, SourceKind>;

export type SourceName = keyof typeof kinds;

export const sourceNames = Object.keys(kinds) as SourceName[];

export interface ImportOptions extends MixOptions {
  /** Kind of the file. If absent, its name and beginning decide. */
  readonly kind?: SourceName;
}

/**
 * Mix of requests in a capture, a log or a description. Throws PgsweepError `usage`, with file and line, if the file
 * cannot be read or has no request.
 */
export async function mixFrom(file: string, { kind, ...options }: ImportOptions): Promise<Mix> {
  const text = sourceText(file, Math.max(...Object.values(kinds).map(({ mostMb }) => mostMb)));
  const plainName = file.toLowerCase().replace(/\.gz$/, '');
  const name =
    kind ?? sourceNames.find((each) => kinds[each].fits(plainName, text.slice(0, BEGINNING))) ?? 'access-log';
  const source: SourceKind = kinds[name];
  if (Buffer.byteLength(text) > source.mostMb * MB) throw tooLarge(file, source.mostMb);
  const read = await source.load();
  const mix = await nested(file, async () => mixOf(await read(text, file), options));
  if (mix.requests.length > 0) return mix;
  const [first] = mix.leftOut;
  const why =
    first === undefined
      ? ''
      : `; left out: ${first.what}: ${first.why}${mix.leftOut.length > 1 ? `, and ${mix.leftOut.length - 1} more` : ''}`;
  throw new PgsweepError('usage', `${file} has no request that a scenario can send${why}`, {
    hint: `It was read as ${name}; --format names another: ${sourceNames.join(', ')}`,
  });
}

/** Reports an overflow of the stack as a mistake of the file: its content is nested too deeply. */
async function nested(file: string, read: () => Promise<Mix>): Promise<Mix> {
  try {
    return await read();
  } catch (cause) {
    // V8's words; other RangeErrors are pgsweep's own mistakes.
    if (!(cause instanceof RangeError && cause.message.startsWith('Maximum call stack'))) throw cause;
    throw new PgsweepError('usage', `${file} is nested too deeply to be read`, { cause });
  }
}

/** Text of a source, unpacked if it is a gzip file. Throws PgsweepError `usage` if it cannot be read or is too large. */
export function sourceText(file: string, mostMb: number): string {
  try {
    return readTextUpTo(file, mostMb * MB);
  } catch (cause) {
    if (cause instanceof TextTooLong) throw tooLarge(file, mostMb);
    throw new PgsweepError('usage', `${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function tooLarge(file: string, mostMb: number): PgsweepError {
  return new PgsweepError('usage', `${file} is too large: expected at most ${mostMb} MB`, {
    hint: 'Of a log a part will do: tail -n 100000',
  });
}
