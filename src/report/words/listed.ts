/** `10, 25 and 35`; of names that hold commas `pool=12, jit=off; pool=9, jit=on; or pool=6`. */
export function listed(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  if (names.length < 2) return names.join();
  const mark = names.some((name) => name.includes(', ')) ? ';' : ',';
  const before = names.slice(0, -1).join(`${mark} `);
  return `${before}${mark === ';' ? mark : ''} ${last} ${names.at(-1)}`;
}
