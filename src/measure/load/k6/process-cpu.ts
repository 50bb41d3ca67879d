import { readFileSync } from 'node:fs';

/** USER_HZ: 100 on every kind of machine that Node runs on. */
const MS_PER_TICK = 10;

/** CPU time that a process has used, in ms; null where it has ended, and on systems without /proc. */
export function processCpuMs(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields 14 and 15, counted from the name's closing bracket, which ends field 2.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return null;
  }
}
