import { closest, distance } from 'fastest-levenshtein';

/** How long comparing takes grows with both lengths, and nobody misspells so long a word by a letter. */
const MOST_LETTERS = 100;

/**
 * The candidate most like the word, or else one of whose parts it is (`cpu` of `service_cpu`); null where none is like it (more
 * than half of its letters differ).
 */
export function nearest(word: string, all: readonly string[]): string | null {
  const candidates = all.filter(({ length }) => length <= MOST_LETTERS);
  if (candidates.length === 0 || word.length > MOST_LETTERS) return null;
  const best = closest(
    word.toLowerCase(),
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  const found = candidates.find((candidate) => candidate.toLowerCase() === best) ?? null;
  const isLike = found !== null && distance(word.toLowerCase(), best) <= Math.max(2, Math.ceil(word.length / 2));
  return isLike ? found : (candidates.find((one) => partsOf(one).includes(word.toLowerCase())) ?? null);
}

/** `service`, `cpu` of `service_cpu`. */
function partsOf(name: string): string[] {
  return name.toLowerCase().split(/[^\p{L}\p{N}.]+/u);
}

/** ` (did you mean "sweep"?)`, to follow what is expected; empty where no candidate is like the word. */
export function didYouMean(word: string, all: readonly string[], quote = '"'): string {
  const near = nearest(word, all);
  return near === null ? '' : ` (did you mean ${quote}${near}${quote}?)`;
}
