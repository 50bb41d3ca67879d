/** A text that is an address of somebody. */
export const EMAIL = /^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/;

/** Characters of an address ahead of its `@`; `%2B` is an encoded plus. */
const LOCAL = "\\p{L}\\p{N}._+'-";
/** No such character is before it, but one that is encoded may be. */
const START = `(?<=^|[^%${LOCAL}]|%(?!2B)[0-9A-F]{2}|%(?![0-9A-F]{2}))`;

/** Addresses in a text, also in an encoded one. `logo@2x.png` is none. */
export const ADDRESSES = new RegExp(
  `${START}(?:[${LOCAL}]|%2B)+(?:@|%40)(?!\\d+x\\.)(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,}`,
  'giu',
);

/** Stands for an address of somebody, which is never written down. */
export const MADE_UP = 'user${unique}@example.com';
