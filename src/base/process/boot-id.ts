import { readProc } from './read-proc.ts';

/** Names one boot of this machine's kernel; empty where that cannot be read. */
export function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}
