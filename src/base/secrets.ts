import { createHmac, hash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEW } from './files/atomic-file.ts';
import { ownCache } from './user-cache.mjs';

/** Text in place of a secret. */
export const MASK = '***';

/** A shorter one would be found in every second line, and then say less than the mask. */
const LEAST_CHARACTERS = 4;

/**
 * The secrets that this process has read, as they stand in texts. One list for the process: what a service prints, an
 * error's text or a name can hold any of them, wherever it comes from.
 */
const known = new Set<string>();
let pattern: RegExp | null = null;
/** UTF-8 bytes of a text, each as a character. */
let inBytes: RegExp | null = null;
let asBytes: readonly string[] = [];
let longestBytes = 0;
let isExpecting = false;

/** Words and numbers that stand everywhere, whatever their key is called. */
const EVERYDAY = /^(true|false|null|none|undefined|default|postgres|\d{1,7})$/i;

/** From here on it is masked in texts; not what is short or an everyday word. */
export function rememberSecret(value: string): void {
  if (EVERYDAY.test(value)) return;
  // As it stands in JSON and in a URL, too.
  for (const form of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    if (form.length >= LEAST_CHARACTERS) known.add(form);
  pattern = anyOf([...known]);
  asBytes = [...known].map((one) => Buffer.from(one).toString('latin1'));
  inBytes = anyOf(asBytes);
  longestBytes = Math.max(0, ...asBytes.map(({ length }) => length));
}

/** Names of columns, tables and the like in messages of Postgres. They are no secrets, even if a password is the same word: `column "items"`. */
const NAMED = '\\b(?:(?:column|relation|table|index|constraint|schema) \\\\*"|column )(?:[\\w$]+\\.)*';

/** The longest first: a shorter one may be its beginning. */
function anyOf(texts: readonly string[]): RegExp | null {
  if (texts.length === 0) return null;
  const any = texts
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join('|');
  return new RegExp(`(?:${any})(?<!${NAMED}(?:${any}))`, 'g');
}

/** From here on some secret may become known at any time, such as the token of a login. */
export function expectSecrets(): void {
  isExpecting = true;
}

/** True if texts from outside must be searched for secrets. */
export function mayHoldSecrets(): boolean {
  return isExpecting || known.size > 0;
}

/** All that is masked, for a process of ours that writes texts from outside itself. */
export function knownSecrets(): readonly string[] {
  return [...known];
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** The text with `***` for each secret that is known. */
export function maskKnown(text: string): string {
  return pattern === null ? text : text.replace(pattern, MASK);
}

/** Masks all texts in a value, as it is written to the journal. */
export function maskKnownTexts<T>(value: T): T {
  if (pattern === null) return value;
  return JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? maskKnown(one) : one))) as T;
}

/** Bytes on their way to a file, without the secrets that are known by then. */
export interface Masker {
  /** Text that can be written already. The beginning of a secret waits for the rest. */
  push(chunk: Buffer): Buffer;
  /** The rest. */
  end(): Buffer;
}

/** Masks a stream of bytes, also a secret that two chunks share; all other bytes stay as they are. */
export function createMasker(): Masker {
  // Bytes as characters: a log need not be text, and is not to be changed elsewhere.
  let held = '';
  return {
    push(chunk) {
      const text = held + chunk.toString('latin1');
      const end = settledEnd(text);
      held = text.slice(end);
      return masked(text.slice(0, end));
    },
    end() {
      const rest = masked(held);
      held = '';
      return rest;
    },
  };
}

function masked(latin1: string): Buffer {
  return Buffer.from(inBytes === null ? latin1 : latin1.replace(inBytes, MASK), 'latin1');
}

/** How much of a text is masked the same whatever follows it: a known secret may begin behind, or be part of a longer one. */
function settledEnd(latin1: string): number {
  if (inBytes === null) return latin1.length;
  let end = latin1.length;
  for (let at = Math.max(0, end - longestBytes + 1); at < end; at++) {
    const tail = latin1.slice(at);
    if (asBytes.some((one) => one.length > tail.length && one.startsWith(tail))) end = at;
  }
  for (const { index, 0: found } of latin1.matchAll(inBytes)) {
    if (index >= end) break;
    end = index + found.length > end ? index : end;
  }
  return end;
}

/** Digests that show if a secret has changed. Without the key nobody can find a secret by trying, not even a weak one. */
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
    // With the place, so two digests do not show that two places have the same secret.
    of: (place, value) => createHmac('sha256', key).update(`${place}\0${value}`).digest('hex').slice(0, 32),
  };
}

const KEY_BYTES = 32;

function ownKey(env: NodeJS.ProcessEnv): Buffer | null {
  const folder = ownCache(env, 'secrets');
  if (folder === null) return null;
  const file = join(folder, 'key');
  return keptKey(file) ?? keptKey(file);
}

/** The key, made where there is none; null where it cannot be kept. Half of one, as a full disk leaves it, is removed. */
function keptKey(file: string): Buffer | null {
  try {
    writeFileSync(file, randomBytes(KEY_BYTES), { flag: NEW, mode: 0o600 });
  } catch {
    // It is there already, or cannot be made: then it cannot be read either, or not whole.
  }
  try {
    const key = readFileSync(file);
    if (key.length === KEY_BYTES) return key;
    rmSync(file);
  } catch {
    // There is none.
  }
  return null;
}
