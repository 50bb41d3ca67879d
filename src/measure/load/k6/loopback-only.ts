/**
 * Every address but those of this machine (127.0.0.0/8 and ::1), as ranges that k6 can be told to keep away from. A range
 * for each bit of the prefix: that of the addresses in which this bit is the first that is another.
 */
export function otherThanLoopback(): string[] {
  const v4 = Array.from({ length: 8 }, (_, at) => {
    const bits = at + 1;
    const first = (127 ^ (0x80 >> at)) & (0xff << (8 - bits)) & 0xff;
    return `${first}.0.0.0/${bits}`;
  });
  const v6 = Array.from({ length: 127 }, (_, at) => {
    const groups = new Array<number>(8).fill(0);
    groups[Math.floor(at / 16)] = 0x8000 >> (at % 16);
    return `${groups.map((group) => group.toString(16)).join(':')}/${at + 1}`;
  });
  return [...v4, ...v6, '0:0:0:0:0:0:0:0/128'];
}
