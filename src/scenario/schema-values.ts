import { z } from 'zod';
import { parseDurationMs, parsePercent } from '../base/units.ts';

/**
 * The values of the scenario language. Every object is strict, and alternatives are optional keys of one object rather
 * than unions, so that a mistake is answered with its own place and the keys that are valid there.
 */
export const strict = <Shape extends z.core.$ZodShape>(shape: Shape) => z.strictObject(shape);

export const duration = z
  .union([z.string(), z.number()], { error: 'expected a duration such as 500ms, 5s or 10m' })
  .refine((text) => (parseDurationMs(text) ?? 0) > 0, { error: 'expected a duration such as 500ms, 5s or 10m' });

const AUTO_OR_DURATION = 'expected a duration such as 500ms, 5s or 10m, or auto';
export const autoOrDuration = z
  .union([z.string(), z.number()], { error: AUTO_OR_DURATION })
  .refine((text) => text === 'auto' || (parseDurationMs(text) ?? 0) > 0, { error: AUTO_OR_DURATION });

export const percent = z
  .union([z.string(), z.number()], { error: 'expected a percentage such as 5%' })
  .refine((text) => parsePercent(text) !== null, { error: 'expected a percentage such as 5%' });

export const count = (most: number) => z.int().min(1).max(most);
export const factorValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
});
export const env = z.record(z.string(), factorValue);
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:3000' });
