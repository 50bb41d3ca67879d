/** A text that is an address of somebody. */
export const EMAIL = /^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/;

/** Characters of an address ahead of its `@`. */
const LOCAL = "[\\p{L}\\p{N}._%+'-]";

/** Addresses in a text, also in an encoded one. `logo@2x.png` is none. */
export const ADDRESSES = new RegExp(
  `(?<!${LOCAL})${LOCAL}+(?:@|%40)(?!\\d+x\\.)(?:[\\p{L}\\p{N}-]+\\.)+\\p{L}{2,}`,
  'gu',
);

/** Stands for an address of somebody, which is never written down. */
export const MADE_UP = 'user${unique}@example.com';
