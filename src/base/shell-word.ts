import { visible } from './visible.ts';

/**
 * A text as one word of a shell, in quotes where it has to be. Where people copy a command, a name that others chose cannot
 * add another. A path of Windows has double quotes, which its shells know too.
 */
export function shellWord(text: string): string {
  const shown = visible(text);
  if (/^[\w./=,:+-]+$/.test(shown)) return shown;
  if (/^[\w./=,:+\\ -]*\w$/.test(shown) && shown.includes('\\')) return `"${shown}"`;
  return `'${shown.replaceAll("'", "'\\''")}'`;
}
