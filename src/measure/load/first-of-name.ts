/** Index of the first kind that has the same name: kinds of one name are counted as one. Names may be added, and stay. */
export function firstOfName(names: readonly string[]): (index: number) => number {
  const first: number[] = [];
  return (index) => {
    const name = names[index];
    if (name === undefined) return index;
    first[index] ??= names.indexOf(name);
    return first[index];
  };
}
