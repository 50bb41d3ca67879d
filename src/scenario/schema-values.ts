import { z } from 'zod';
import { parseDurationMs, parsePercent } from '../base/units.ts';

/**
 * The values of the scenario language. Every object is strict, and alternatives are optional keys of one object rather
 * than unions, so that a mistake is answered with its own place and the keys that are valid there.
 */
export const strict = <Shape extends z.core.$ZodShape>(shape: Shape) => z.strictObject(shape);

const DURATION = 'expected a duration such as 500ms, 5s or 10m';
const hours = (text: string | number): number => (parseDurationMs(text) ?? 0) / 3_600_000;

/** Timers count to 24 days, and nobody waits for one of more than a day. */
const MOST_HOURS = 24;

/** A duration, or one of the words. As every value whose type says too little, it has a title for the reference. */
const durationUpTo = (mostHours: number, words: readonly string[] = []) => {
  const error = [DURATION, ...words].join(', or ');
  return z
    .union([z.string(), z.number()], { error })
    .refine((text) => words.includes(String(text)) || hours(text) > 0, { error, abort: true })
    .refine((text) => words.includes(String(text)) || hours(text) <= mostHours, {
      error: `expected at most ${mostHours}h`,
    })
    .meta({ title: ['duration', ...words].join(' or ') });
};

export const duration = durationUpTo(MOST_HOURS);
export const autoOrDuration = durationUpTo(MOST_HOURS, ['auto']);
/** How long a run may take: twenty days. */
export const budget = durationUpTo(480);

export const percent = z
  .union([z.string(), z.number()], { error: 'expected a percentage such as 5%' })
  .refine((text) => (parsePercent(text) ?? 101) <= 100, { error: 'expected a percentage such as 5%' })
  .meta({ title: 'percentage' });

/** A list of one or more. */
export const list = <Item extends z.core.SomeType>(item: Item, most = 1000) => z.array(item).min(1).max(most);

/** What is said of a request's body, before what may be filled in. */
export const BODY =
  'JSON, sent as application/json; or a text, sent as it is (as application/json where it begins with { or [, else of the content-type that headers give)';

export const count = (most: number) => z.int().min(1).max(most);
export const factorValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
});
/** A name, which YAML may take for a number or for true: as a key it would be a text. */
export const nameOf = factorValue.transform(String);
export const env = z.record(z.string(), factorValue);
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:3000' });
