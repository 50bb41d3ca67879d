import { createHash } from 'node:crypto';
import type { JsonValue } from '../model/document.ts';
import type { Document } from './types.ts';

/** Takes in documents one by one. Their order counts, the order of a body's keys does not. */
export interface Fingerprint {
  add(document: Document): void;
  /** The fingerprint as hex. Nothing can be added after it. */
  finish(): string;
}

export function createFingerprint(): Fingerprint {
  const hash = createHash('sha256');
  return {
    add: (document) => hash.update(`${document.resource}\n${canonicalJson(document.body)}\n`),
    finish: () => hash.digest('hex'),
  };
}

/** JSON with sorted keys and no blanks. Keys are compared by code unit, since a locale's order differs by machine. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}
