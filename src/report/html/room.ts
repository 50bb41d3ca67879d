import { escapeHtml } from './escape.ts';

/** Tables of a run of any size: they are shown as long as there is room on the page. */
export interface Room {
  /** The part, or a line that names what is left out. */
  fit(title: string, part: string): string;
}

/** With what is always shown the page stays under 5 MB, in which a browser opens at once. */
const MOST_CHARACTERS = 3_500_000;

export function createRoom(mostCharacters = MOST_CHARACTERS): Room {
  let left = mostCharacters;
  return {
    fit(title, part) {
      if (part.length > left) {
        return `<p class="dim">Left out, since the page would be too long: ${escapeHtml(title)}. summary.json and the tables in CSV have it.</p>`;
      }
      left -= part.length;
      return part;
    },
  };
}
