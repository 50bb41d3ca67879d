import type { SentRequest } from './request-value.ts';

/** A script of users: what each of them does, over and over, and where its data comes from. */
export interface ScriptSpec {
  readonly kind: 'script';
  readonly parts: readonly ScriptPart[];
  /** Absent where the scenario has none. */
  readonly data?: DataSpec;
  /** Present where whoever begins the script anew is a new user: without cookies, and without what was captured. */
  readonly sessions?: 'new';
}

/** A step, or one of several ways to go on, drawn by weight each time that a user comes by. */
export type ScriptPart =
  | { readonly kind: 'step'; readonly step: StepSpec }
  | { readonly kind: 'choice'; readonly ways: readonly ScriptWay[] };

interface ScriptWay {
  /** How often, against the weights of the others. */
  readonly weight: number;
  readonly steps: readonly StepSpec[];
}

/** One request of a script, with the pause after it. Its name is its own. */
export interface StepSpec extends SentRequest {
  /** Done until it has succeeded once, and never again by the same user. */
  readonly once?: true;
  /** The pause after it; none where absent. */
  readonly think?: ThinkTime;
  /** What is kept of its answer, by name. */
  readonly capture?: Readonly<Record<string, CaptureSpec>>;
}

/** How long a user pauses. */
export type ThinkTime =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  | { readonly kind: 'uniform'; readonly fromMs: number; readonly toMs: number };

/** Where a value stands in an answer. */
export type CaptureSpec =
  /** `$.items[0].id` of its body. */
  | { readonly kind: 'json'; readonly path: string }
  /** In lower case. */
  | { readonly kind: 'header'; readonly name: string };

/** A CSV file of which each user has a row: the first the first, over again where there are more users than rows. */
interface DataSpec {
  /** Absolute. */
  readonly file: string;
}

/** All steps of a script, in its order. */
export function stepsOf({ parts }: Pick<ScriptSpec, 'parts'>): StepSpec[] {
  return parts.flatMap((part) => (part.kind === 'step' ? [part.step] : part.ways.flatMap(({ steps }) => steps)));
}

/** The same script with other names of its steps. */
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

/** A script that k6 runs, under so many users or at a rate of iterations. */
export interface K6Workload {
  readonly kind: 'k6';
  /** Absolute. */
  readonly script: string;
  /** The exported function that is an iteration. */
  readonly exec: string;
  /** What the script finds in `__ENV` besides. */
  readonly env: Readonly<Record<string, string>>;
  /** The variables that name the arm's address and what `target.login` has fetched. */
  readonly urlVariable: string;
  readonly tokenVariable: string;
  /** Set where the script may send to other machines. */
  readonly remote?: true;
}
