import { count, fields, oneOf, orNull, text, type ValueOf } from './shape.ts';

/** The most sessions that an arm was seen to hold in its copy of the database. Written in the first round of each session of a run. */
export interface SessionsRecord extends ValueOf<typeof sessionsRecord> {}
export const sessionsRecord = fields({
  type: oneOf('sessions'),
  round: count,
  arm: text,
  variant: text,
  sessions: count,
  /** How many processes of the service held them; null where that could not be seen. */
  processes: orNull(count),
});
