import { z } from 'zod';
import { duration, list, OUTSIDE_PATTERN, strict, text } from '../../base/schema-values.ts';
import { capture, requestShape, weight } from './request-shape.ts';

const THINK = 'expected a duration such as 2s, none, { exponential: 2s } or { from: 1s, to: 3s }';

/** A pause of a user. */
export const think = z
  .union(
    [
      z.literal('none'),
      // It becomes milliseconds below: inside the union, that would hide the message for a pause that is too long.
      duration.in,
      strict({
        exponential: duration.optional().describe('its mean; drawn each time'),
        from: duration.optional().describe('the shortest; any between from and to is as likely as the others'),
        to: duration.optional().describe('the longest'),
      }),
    ],
    { error: THINK },
  )
  .transform((pause) => (typeof pause === 'object' || pause === 'none' ? pause : duration.parse(pause)));

const stepShape = {
  ...requestShape,
  path: z
    .string()
    .regex(/^(\/|\$\{captured )/, { error: 'expected a path that begins with / or with ${captured NAME}' })
    .meta({ pattern: String.raw`^(/|\$\{captured |${OUTSIDE_PATTERN})` })
    .optional()
    .describe('path and query; may hold placeholders such as ${captured id}'),
  once: z
    .boolean()
    .optional()
    .describe('sent until it has succeeded, and then never again by the same user, such as a login; default false'),
  think: think.optional().describe('the pause after it; default load.think'),
  capture: capture.describe(
    'what is kept of its answer for later steps, by name: json $.items[0].id or header Location; used as ${captured NAME}',
  ),
};

const way = strict({
  weight,
  ...stepShape,
  steps: list(strict(stepShape)).optional().describe('several steps in place of one'),
});

/** A step of a script, or a choice of several. */
export const scriptPart = strict({
  ...stepShape,
  choose: list(way, 100)
    .optional()
    .describe('instead of a step: one of several ways to continue, drawn by weight each time'),
});

/** Keys of a load that goes through a script. */
export const scriptKeys = {
  script: list(scriptPart)
    .optional()
    .describe('what each user does, step by step and over and over; under connections without the pauses'),
  data: text
    .optional()
    .describe(
      'a CSV file with a row for each user, whose columns steps use as ${data NAME}; from the folder of this file',
    ),
  sessions: z
    .enum(['kept', 'new'])
    .optional()
    .describe(
      'of a script: a user who begins it again keeps cookies and values (kept), or is a new one (new); default kept',
    ),
  think: think.optional().describe('the pause after each step of the script; default none'),
};

export type ScriptDocument = z.infer<z.ZodObject<typeof scriptKeys>>;
