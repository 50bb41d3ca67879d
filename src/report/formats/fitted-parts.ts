/** A part of a report that can be shortened, or left out. */
export interface Part {
  /** The name of a part in the list of what is left out. */
  readonly name: string;
  /** How telling it is: the least telling is shortened first. */
  readonly weight: number;
  readonly rows: number;
  /** Its text with this many of its rows at most, the most telling. */
  render(mostRows: number): string;
}

/** A part as it is shown. */
export interface Fitted {
  readonly text: string;
  /** How many of its rows are in the text: all, some, or none where it is left out. */
  readonly rows: number;
}

/** A part of at most this weight is left out as a whole before any other part loses a row. */
const LEAST_WEIGHT = 1;
/** Long parts are cut to this many rows, then to fewer, then left out. */
const STEPS = [24, 12, 5, 0] as const;

/**
 * The texts of parts, at most this many characters together where that can be had: the least telling are left out, then
 * all are cut to ever fewer rows, of equal ones the last first.
 */
export function fitted(parts: readonly Part[], mostCharacters: number): Map<Part, Fitted> {
  const found = new Map(parts.map((part) => [part, wholeOf(part)]));
  let length = [...found.values()].reduce((sum, { text }) => sum + text.length, 0);
  const byWeight = [...parts].reverse().sort((a, b) => a.weight - b.weight);
  const steps = [
    ...byWeight.filter(({ weight }) => weight <= LEAST_WEIGHT).map((part) => ({ part, rows: 0 })),
    ...STEPS.flatMap((rows) => byWeight.map((part) => ({ part, rows }))),
  ];
  for (const { part, rows } of steps) {
    if (length <= mostCharacters) break;
    const before = found.get(part);
    if (before === undefined || before.rows <= rows) continue;
    const text = rows === 0 ? '' : part.render(rows);
    length += text.length - before.text.length;
    found.set(part, { text, rows });
  }
  return found;
}

function wholeOf(part: Part): Fitted {
  return { text: part.render(part.rows), rows: part.rows };
}
