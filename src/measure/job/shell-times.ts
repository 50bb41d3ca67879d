import { readFileSync, rmSync } from 'node:fs';

/** A command whose shell writes the CPU time of all that it waited for to a file, and ends with the command's own exit code. */
export function withTimes(command: string, file: string): string {
  // cmd.exe has no `times`.
  if (process.platform === 'win32') return command;
  return `(\n${command}\n)\ncode=$?; times > '${file.replaceAll("'", "'\\''")}'; exit $code`;
}

/**
 * CPU time in ms by the second line of `times` (POSIX: user and system time of the children; some locales have a decimal comma),
 * and removes the file. Null where the shell has not written it.
 */
export function cpuMsOfTimes(file: string): number | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    rmSync(file);
  } catch {
    return null;
  }
  const [, children = ''] = text.split('\n');
  const times = [...children.matchAll(/(\d+)m([\d.,]+)s/g)].map(([, min, s = '']) => [min, s.replace(',', '.')]);
  if (times.length < 2) return null;
  return times.reduce((sum, [min, s]) => sum + 60_000 * Number(min) + 1000 * Number(s), 0);
}
