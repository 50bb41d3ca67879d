import { win32 } from 'node:path';

/** The last part of a path of any system: a run of Windows may be read on Linux. */
export function baseName(path: string): string {
  return win32.basename(path);
}
