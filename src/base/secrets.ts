import { createHmac, hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { NEW, unfinishedName } from './files/atomic-file.ts';
import { ownCache } from './user-cache.mjs';

/** What stands in place of a secret. */
export const MASK = '***';

/** A shorter one would be found in every second line, and then say less than the mask. */
const LEAST_CHARACTERS = 4;

/**
 * The secrets that this process has read, as they stand in texts. One list for the process: what a service prints, an
 * error's text or a name can hold any of them, wherever it comes from.
 */
const known = new Set<string>();
let pattern: RegExp | null = null;

/** Words and numbers that stand everywhere, whatever their key is called. */
const EVERYDAY = /^(true|false|null|none|undefined|default|postgres|\d{1,7})$/i;

/** From here on it is masked in texts; not what is short or an everyday word. */
export function rememberSecret(value: string): void {
  if (EVERYDAY.test(value)) return;
  // As it stands in JSON and in a URL, too.
  for (const form of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    if (form.length >= LEAST_CHARACTERS) known.add(form);
  const longestFirst = [...known].sort((a, b) => b.length - a.length);
  pattern = known.size === 0 ? null : new RegExp(longestFirst.map(escaped).join('|'), 'g');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** The text with `***` for each secret that is known. */
export function maskKnown(text: string): string {
  return pattern === null ? text : text.replace(pattern, MASK);
}

/** The same for all texts in a value, as it is written to the journal. */
export function maskKnownTexts<T>(value: T): T {
  if (pattern === null) return value;
  return JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? maskKnown(one) : one))) as T;
}

const CHUNK_BYTES = 1024 * 1024;

/** Masks known secrets in a file that nobody writes any more. Does nothing where none is in it. Throws what the file system throws. */
export function maskFile(file: string): void {
  if (pattern === null || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const overlap = Math.max(...[...known].map((one) => Buffer.byteLength(one)));
  const source = openSync(file, 'r');
  const unfinished = unfinishedName(file);
  const target = openSync(unfinished, NEW, statSync(file).mode & 0o777);
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let held = '';
    for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer)) {
      // Bytes as characters: a log need not be text, and is not to be changed elsewhere.
      held = maskBytes(held + buffer.toString('latin1', 0, read));
      const done = Math.max(0, held.length - overlap);
      writeSync(target, Buffer.from(held.slice(0, done), 'latin1'));
      held = held.slice(done);
    }
    writeSync(target, Buffer.from(held, 'latin1'));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(source);
    closeSync(target);
  }
  renameSync(unfinished, file);
}

function maskBytes(latin1: string): string {
  let masked = latin1;
  for (const one of known) masked = masked.replaceAll(Buffer.from(one).toString('latin1'), MASK);
  return masked;
}

/** Tells whether a secret is the one that it was, and nothing to who has no key: also a weak one cannot be found by trying. */
export interface SecretDigests {
  /** Which key it was; null where the user's cache cannot keep one. */
  readonly key: string | null;
  of(place: string, value: string): string;
}

/**
 * Digests (HMAC-SHA-256) with a key of this user's on this machine, `secrets/key` in their cache (0600). A run folder
 * that is given away has the digests and not the key. Without a key all digests are empty.
 */
export function secretDigests(env: NodeJS.ProcessEnv = process.env): SecretDigests {
  const key = ownKey(env);
  if (key === null) return { key: null, of: () => '' };
  return {
    key: hash('sha256', key).slice(0, 12),
    // With the place, so that two digests do not tell that two places have the same secret.
    of: (place, value) => createHmac('sha256', key).update(`${place}\0${value}`).digest('hex').slice(0, 32),
  };
}

const KEY_BYTES = 32;

function ownKey(env: NodeJS.ProcessEnv): Buffer | null {
  const folder = ownCache(env, 'secrets');
  if (folder === null) return null;
  const file = join(folder, 'key');
  try {
    writeFileSync(file, randomBytes(KEY_BYTES), { flag: NEW, mode: 0o600 });
  } catch {
    // It is there already, or cannot be made: then it cannot be read either.
  }
  try {
    const key = readFileSync(file);
    return key.length === KEY_BYTES ? key : null;
  } catch {
    return null;
  }
}
