import { sentFields } from './request-value.ts';
import { amount, byKind, byName, fields, list, oneOf, optional, text, type ValueOf } from './shape.ts';

/** How long a user pauses. */
export type ThinkTime = ValueOf<typeof thinkTime>;
const thinkTime = byKind({
  constant: fields({ kind: oneOf('constant'), ms: amount }),
  exponential: fields({ kind: oneOf('exponential'), meanMs: amount }),
  uniform: fields({ kind: oneOf('uniform'), fromMs: amount, toMs: amount }),
});

/** Where a value stands in an answer: at `$.items[0].id` of its body, or in a header, whose name is in lower case. */
export type CaptureSpec = ValueOf<typeof captureSpec>;
const captureSpec = byKind({
  json: fields({ kind: oneOf('json'), path: text }),
  header: fields({ kind: oneOf('header'), name: text }),
});

/** One request of a script, with the pause after it. Its name is its own. */
export interface StepSpec extends ValueOf<typeof stepSpec> {}
const stepSpec = fields({
  ...sentFields,
  /** Done until it has succeeded once, and never again by the same user. */
  once: optional(oneOf(true)),
  /** The pause after it; none where absent. */
  think: optional(thinkTime),
  /** The values that are kept of its answer, by name. */
  capture: optional(byName(captureSpec)),
});

const scriptWay = fields({
  /** How often, against the weights of the others. */
  weight: amount,
  steps: list(stepSpec),
});

/** A step, or one of several ways to continue, drawn by weight each time that a user comes by. */
export type ScriptPart = ValueOf<typeof scriptPart>;
const scriptPart = byKind({
  step: fields({ kind: oneOf('step'), step: stepSpec }),
  choice: fields({ kind: oneOf('choice'), ways: list(scriptWay) }),
});

/** A CSV file of which each user has a row: the first the first, over again where there are more users than rows. */
const dataSpec = fields({
  /** Absolute. */
  file: text,
});

/** A script of users: the steps that each of them takes, over and over, and where its data comes from. */
export interface ScriptSpec extends ValueOf<typeof scriptSpec> {}
export const scriptSpec = fields({
  kind: oneOf('script'),
  parts: list(scriptPart),
  /** Absent where the scenario has none. */
  data: optional(dataSpec),
  /** Present where a user who begins the script again is a new one: without cookies, and without what was captured. */
  sessions: optional(oneOf('new')),
});

/** A script that k6 runs, under this many users or at a rate of iterations. */
export interface K6Workload extends ValueOf<typeof k6Workload> {}
export const k6Workload = fields({
  kind: oneOf('k6'),
  /** Absolute. */
  script: text,
  /** The exported function that is an iteration. */
  exec: text,
  /** Further variables that the script finds in `__ENV`. */
  env: byName(text),
  /** The variables that name the arm's address and the token that `target.login` has fetched. */
  urlVariable: text,
  tokenVariable: text,
  /** Set where the script may send to other machines. */
  remote: optional(oneOf(true)),
});

/** All steps of a script, in its order. */
export function stepsOf({ parts }: Pick<ScriptSpec, 'parts'>): StepSpec[] {
  return parts.flatMap((part) => (part.kind === 'step' ? [part.step] : part.ways.flatMap(({ steps }) => steps)));
}

/** The requests of a script that is nothing but a choice of single ones; null for any other. */
export function mixOf({
  parts: [part, ...others],
}: Pick<ScriptSpec, 'parts'>): (StepSpec & { weight: number })[] | null {
  if (part?.kind !== 'choice' || others.length > 0 || part.ways.some(({ steps }) => steps.length > 1)) return null;
  return part.ways.flatMap(({ weight, steps }) => steps.map((step) => ({ ...step, weight })));
}

/** True of a script whose users log in once: a session that has expired is never logged in again. Of requests that are drawn the login comes again. */
export function keepsSessions(script: Pick<ScriptSpec, 'parts' | 'sessions'>): boolean {
  return script.sessions !== 'new' && mixOf(script) === null;
}

/** A copy of the script with other names for its steps. */
export function withNames(script: ScriptSpec, rename: (name: string) => string): ScriptSpec {
  const renamed = (step: StepSpec): StepSpec => ({ ...step, name: rename(step.name) });
  return {
    ...script,
    parts: script.parts.map((part) =>
      part.kind === 'step'
        ? { ...part, step: renamed(part.step) }
        : { ...part, ways: part.ways.map((way) => ({ ...way, steps: way.steps.map(renamed) })) },
    ),
  };
}

/** The pause that is expected after a step of a script, in milliseconds: the mean over its steps. */
export function meanThinkMs(script: Pick<ScriptSpec, 'parts'>): number {
  const steps = stepsOf(script);
  return steps.reduce((sum, { think }) => sum + meanOf(think), 0) / Math.max(1, steps.length);
}

/** A pause in the mean, in milliseconds. */
export function meanOf(think: ThinkTime | undefined): number {
  switch (think?.kind) {
    case undefined:
      return 0;
    case 'constant':
      return think.ms;
    case 'exponential':
      return think.meanMs;
    case 'uniform':
      return (think.fromMs + think.toMs) / 2;
  }
}
