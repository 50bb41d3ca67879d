import { readFileSync } from 'node:fs';

/** The text of a file under /proc; null where this machine has none or does not let it be read. */
export function readProc(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Names one boot of this machine's kernel; empty where that cannot be read. */
export function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}
