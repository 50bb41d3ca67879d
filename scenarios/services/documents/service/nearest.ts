import { closest, distance } from 'fastest-levenshtein';

/** How long comparing takes grows with both lengths. */
const MOST_LETTERS = 100;

/** The candidate most like a word; null where more than half of the letters differ. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > MOST_LETTERS) return null;
  const lower = word.toLowerCase();
  const best = closest(
    lower,
    candidates.map((candidate) => candidate.toLowerCase()),
  );
  if (distance(lower, best) > Math.max(2, Math.ceil(word.length / 2))) return null;
  return candidates.find((candidate) => candidate.toLowerCase() === best) ?? null;
}
