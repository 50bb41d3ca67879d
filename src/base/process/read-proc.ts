import { readFileSync } from 'node:fs';

/** The text of a file under /proc; null where this machine has none or does not let it be read. */
export function readProc(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
