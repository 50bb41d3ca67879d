import { readProc } from '../../../base/process/read-proc.ts';

/** Counts of a network interface since it came up. */
export interface InterfaceCounters {
  readonly name: string;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** Reads /proc/net/dev; null where there is none. */
export function readInterfaces(): InterfaceCounters[] | null {
  const text = readProc('/proc/net/dev');
  return text === null ? null : parseInterfaces(text);
}

export function parseInterfaces(text: string): InterfaceCounters[] {
  // After two lines of heads: `name: ` and 16 numbers, of which the 1st are bytes received and the 9th bytes sent.
  return text.split('\n').flatMap((line) => {
    const [, name, numbers] = /^\s*([^\s:]+):\s*([\d\s]+)$/.exec(line) ?? [];
    const fields = numbers?.trim().split(/\s+/).map(Number) ?? [];
    return name === undefined ? [] : [{ name, receivedBytes: fields[0] ?? 0, sentBytes: fields[8] ?? 0 }];
  });
}

/** Speed of an interface, in bytes a second; null where it is not known, as for most virtual ones. */
export function interfaceSpeed(name: string): number | null {
  const megabits = Number(readProc(`/sys/class/net/${name}/speed`) ?? Number.NaN);
  return megabits > 0 ? (megabits * 1e6) / 8 : null;
}
