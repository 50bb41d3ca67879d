import { z } from 'zod';
import { isModest } from './modest.ts';
import { parseBandwidthMbit, parseDurationMs, parseFineDurationMs, parsePercent, unitAsked } from './units.ts';

/**
 * The values of the scenario language. Every object is strict, and alternatives are optional keys of one object rather
 * than unions, so that a mistake is answered with its own place and the keys that are valid there.
 */
export const strict = <Shape extends z.core.$ZodShape>(shape: Shape, expected?: string) =>
  z.strictObject(shape, { error: ({ code }) => (code === 'invalid_type' ? expected : undefined) });

/** A duration for editors, which check a file by the JSON Schema alone; the parser also knows the order of units. */
export const DURATION_PATTERN = String.raw`\s*(\d+(\.\d+)?\s*(h|min|m|s|ms)\s*)+`;
const DURATION = 'expected a duration such as 500ms, 5s or 10m';
const hours = (text: string): number => (parseDurationMs(text) ?? 0) / 3_600_000;

/** Timers count to 24 days, and nobody waits for one of more than a day. */
const MOST_HOURS = 24;

/** Milliseconds of a duration, or one of the words. As every value whose type says too little, it has a title for the reference. */
const durationUpTo = <const Word extends string = never>(mostHours: number, ...words: readonly Word[]) => {
  const expected = [DURATION, ...words].join(', or ');
  const error = ({ input }: { readonly input?: unknown }): string => unitAsked(input) ?? expected;
  const wordOf = (text: string): Word | undefined => words.find((word) => word === text);
  return z
    .string({ error })
    .refine((text) => wordOf(text) !== undefined || hours(text) > 0, { error, abort: true })
    .refine((text) => wordOf(text) !== undefined || hours(text) <= mostHours, {
      error: `expected at most ${mostHours}h`,
    })
    .meta({ title: ['duration', ...words].join(' or '), pattern: `^(${[DURATION_PATTERN, ...words].join('|')})$` })
    .transform((text) => wordOf(text) ?? parseDurationMs(text) ?? 0);
};

export const duration = durationUpTo(MOST_HOURS);
export const autoOrDuration = durationUpTo(MOST_HOURS, 'auto');
/** How long a run may take: twenty days. */
export const budget = durationUpTo(480);

const FINE = 'expected a short time such as 0.5ms, 500us or 0';
/** Milliseconds of a duration as networks have them: any fraction of a millisecond, up to a second. */
export const fineDuration = z
  .union([z.string(), z.number()], { error: FINE })
  .refine((text) => parseFineDurationMs(text) !== null, { error: FINE, abort: true })
  .refine((text) => (parseFineDurationMs(text) ?? 0) <= 1000, { error: 'expected at most 1s' })
  // The only number without a unit is 0.
  .meta({
    title: 'short time',
    pattern: String.raw`^\s*(\d+(\.\d+)?\s*(us|ms|s)|0+(\.0+)?)\s*$`,
    minimum: 0,
    maximum: 0,
  })
  .transform((text) => parseFineDurationMs(text) ?? 0);

const BANDWIDTH = 'expected a bandwidth from 0.1mbit to 100gbit, such as 100mbit';
/** Mbit/s. */
export const bandwidth = z
  .string({ error: BANDWIDTH })
  .refine((text) => (parseBandwidthMbit(text) ?? 0) >= 0.1 && (parseBandwidthMbit(text) ?? 0) <= 100_000, {
    error: BANDWIDTH,
  })
  .meta({ title: 'bandwidth', pattern: String.raw`^\s*\d+(\.\d+)?\s*[kmgKMG][bB][iI][tT]\s*$` })
  .transform((text) => parseBandwidthMbit(text) ?? 0);

export const percent = z
  .union([z.string(), z.number()], { error: 'expected a percentage such as 5%' })
  .refine((text) => (parsePercent(text) ?? 101) <= 100, { error: 'expected a percentage such as 5%' })
  .meta({ title: 'percentage', pattern: String.raw`^\s*\d+(\.\d+)?\s*%?\s*$`, minimum: 0, maximum: 100 })
  .transform((text) => parsePercent(text) ?? 0);

/** A list of one or more. */
export const list = <Item extends z.core.SomeType>(item: Item, most = 1000) => z.array(item).min(1).max(most);

/** Up to 100 sizes of a load. That none stands twice is said to editors here, and checked where the place is known. */
export const distinct = <Item extends z.core.SomeType>(item: Item) => list(item, 100).meta({ uniqueItems: true });

/** Help for a request's body, ahead of the placeholders. */
export const BODY =
  'JSON, sent as application/json; or a text, sent as it is (as JSON where it begins with { or [, else as headers say)';

export const count = (most: number) => z.int().min(1).max(most);
/** A number too large for a journal is a text: a level may be 2^64. */
const factorNumber = z.number().transform((value) => (isModest(value) ? value : String(value)));
export const factorValue = z.union([z.string(), factorNumber, z.boolean()], {
  error: 'expected a text, a number, true or false',
});
/** YAML 1.2 reads on and off as texts, YAML 1.1 as true and false. */
export const onOff = z
  .union([z.enum(['on', 'off']), z.boolean()], { error: 'expected on or off' })
  .transform((value) => value === 'on' || value === true);
/** A text, which YAML may take for a number or for true: as a key it would be a text. */
export const nameOf = factorValue.transform(String);
/** Texts by name: an environment as a process sees it, or settings of a server. */
export const env = z.record(z.string(), nameOf);
/** Values for a user's module, which gets them as they are. */
export const options = z.record(z.string(), z.json());
/** The start of `${env NAME}` and `${file PATH}`, for editors: they see a file before these are filled in. */
export const OUTSIDE_PATTERN = String.raw`\$\{\s*(env|file)\s`;
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:3000' })
  .meta({ format: undefined, pattern: `^([hH][tT][tT][pP][sS]?:|${OUTSIDE_PATTERN})` });
/** A text that says something. */
export const text = z.string().min(1);
export const name = text;
/** A path of a service, with its query. */
export const urlPath = z.string().regex(/^\//, { error: 'expected a path that begins with /, such as /items' });
/** A path that may begin with such a value. */
export const sentPath = urlPath.meta({ pattern: `^(/|${OUTSIDE_PATTERN})` });
/** One or several, as a list. */
const oneOrList = (error: string) => z.union([name, list(name)], { error }).transform((value) => [value].flat());
export const names = oneOrList('expected a name or a list of names');
export const statements = oneOrList('expected a statement or a list of statements');

/** A text in the file; a number is for who writes a scenario in JSON. */
export const versionLike = (pattern: RegExp, example: string) => {
  const error = `expected a version such as ${example}`;
  return z
    .union([z.string(), z.number()], { error })
    .refine((text) => pattern.test(String(text)), { error })
    .meta({ title: 'version', pattern: pattern.source })
    .transform(String);
};

/** Leaves out keys without a value. */
export function withoutUndefined<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
