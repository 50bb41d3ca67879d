/**
 * Words that sentences of a report mark as code, with their marks. Backticks around anything else are a part of a name that a
 * user chose.
 */
const MARKED = /`(higher|lower|same|noise|unfit|n\/a \(0 -> x\)|connection: close)`/;

/** A sentence whose marked words are written in one way, and the rest in another. */
export function withCode(sentence: string, code: (word: string) => string, plain: (text: string) => string): string {
  return sentence
    .split(MARKED)
    .map((part, index) => (index % 2 === 1 ? code(part) : plain(part)))
    .join('');
}
