import { closest, distance } from 'fastest-levenshtein';

/** The candidate most like the word, or null where none is like it (more than half of its letters differ). */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null;
  const best = closest(
    word.toLowerCase(),
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  const found = candidates.find((candidate) => candidate.toLowerCase() === best) ?? null;
  return found !== null && distance(word.toLowerCase(), best) <= Math.max(2, Math.ceil(word.length / 2)) ? found : null;
}
