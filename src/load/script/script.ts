import type { CsvRows } from '../../base/files/csv-rows.ts';
import { createRandom, type Random, seedOf } from '../../base/random.ts';
import { type ScriptPart, type ScriptSpec, type StepSpec, stepsOf, type ThinkTime } from '../../journal/script-spec.ts';
import { compileRequest, type Render, type TemplateContext } from '../requests/compile-request.ts';
import { weightedPick } from '../requests/declared-requests.ts';
import type { GeneratedRequest } from '../requests/generated-request.ts';
import { type Capture, type Captured, compileCaptures, type ScriptAnswer } from './captures.ts';
import { type Cookies, createCookies } from './cookies.ts';
import type { Script, ScriptSession } from './session.ts';
import { restOfPauseMs, thinkMs } from './think-time.ts';

export interface ScriptContext extends Pick<TemplateContext, 'unique' | 'token'> {
  /** Each user's own random numbers follow from it and its number. */
  readonly seed: number;
  /** The service's address, whose cookies are kept. */
  readonly url: string;
  /** Null where the script has no data. */
  readonly rows: CsvRows['rows'] | null;
}

interface CompiledStep {
  readonly spec: StepSpec;
  readonly render: Render<GeneratedRequest>;
  /** Null where nothing is. */
  readonly capture: Capture | null;
  /** It says what its cookies are. */
  readonly hasCookie: boolean;
}

/** The user whose request is being made. */
interface Current {
  user: User | null;
}

/** Steps are compiled once for all users: what differs between them is asked when a request is made. */
export function compileScript(spec: ScriptSpec, context: ScriptContext): Script {
  const steps = stepsOf(spec);
  const current: Current = { user: null };
  const templates = templatesOf(current, context);
  const compiled = new Map(
    steps.map((step, name): [StepSpec, CompiledStep] => {
      const capture = Object.keys(step.capture ?? {}).length === 0 ? null : compileCaptures(step.capture ?? {});
      const hasCookie = Object.keys(step.headers).some((header) => header.toLowerCase() === 'cookie');
      return [step, { spec: step, render: compileRequest(step, name, templates), capture, hasCookie }];
    }),
  );
  const way = (random: Random): CompiledStep[] =>
    spec.parts.flatMap((part) => chosen(part, random)).flatMap((step) => compiled.get(step) ?? []);
  const pauses = steps.flatMap(({ think }) => think ?? []);
  const captured = steps.flatMap(({ capture }) => Object.values(capture ?? {}));
  const { origin } = new URL(context.url);
  return {
    names: steps.map(({ name }) => name),
    expected: steps.map(({ expect }) => expect),
    looksAt: ['set-cookie', ...captured.flatMap((one) => (one.kind === 'header' ? [one.name] : []))],
    openSession(number) {
      const random = createRandom(seedOf(context.seed, 'user', number));
      const row = context.rows?.[number % context.rows.length] ?? {};
      const isNew = spec.sessions === 'new';
      return new User({ random, row, openJar: () => createCookies(origin), pauses, current, way, isNew });
    },
  };
}

function templatesOf(current: Current, { unique, token }: ScriptContext): TemplateContext {
  const user = (): User => {
    if (current.user === null) throw new Error('a request of a script is made for a user');
    return current.user;
  };
  return {
    unique,
    ...(token !== undefined && { token }),
    get random() {
      return user().random;
    },
    captured: (name) => user().captured.get(name) ?? '',
    data: (column) => user().row[column] ?? '',
  };
}

function chosen(part: ScriptPart, random: Random): readonly StepSpec[] {
  if (part.kind === 'step') return [part.step];
  const weights = part.ways.map(({ weight }) => weight);
  return part.ways[weightedPick(weights, random)()]?.steps ?? [];
}

interface UserParts {
  readonly random: Random;
  readonly row: Readonly<Record<string, string>>;
  readonly openJar: () => Cookies;
  /** Whoever begins anew is a new user. */
  readonly isNew: boolean;
  readonly pauses: readonly ThinkTime[];
  readonly current: Current;
  /** Draws a way through the script. */
  readonly way: (random: Random) => CompiledStep[];
}

class User implements ScriptSession {
  readonly startMs: number;
  readonly random: Random;
  readonly row: UserParts['row'];
  readonly captured = new Map<string, Captured>();
  private readonly done = new Set<StepSpec>();
  private readonly parts: UserParts;
  private cookies: Cookies;
  /** The steps that are left of this way through the script. */
  private left: CompiledStep[] = [];
  private step: CompiledStep | null = null;
  /** That of the last request, without its query. */
  private path = '/';

  constructor(parts: UserParts) {
    this.parts = parts;
    this.cookies = parts.openJar();
    this.random = parts.random;
    this.row = parts.row;
    this.startMs = restOfPauseMs(parts.pauses, parts.random);
  }

  next(): GeneratedRequest {
    while (this.left.length === 0) this.left = this.beginWay();
    const step = this.left.shift();
    if (step === undefined) throw new RangeError('a script has a step that is sent more than once');
    this.step = step;
    this.parts.current.user = this;
    const request = step.render();
    this.path = request.path.split('?', 1)[0] ?? '/';
    const cookie = step.hasCookie ? null : this.cookies.headerFor(this.path);
    return cookie === null ? request : { ...request, headers: { ...request.headers, cookie } };
  }

  private beginWay(): CompiledStep[] {
    if (this.parts.isNew) {
      this.cookies = this.parts.openJar();
      this.captured.clear();
      this.done.clear();
    }
    return this.parts.way(this.random).filter(({ spec }) => !this.done.has(spec));
  }

  answered(answer: ScriptAnswer, isExpected: boolean): string | null {
    for (const [name, value] of answer.headers) if (name === 'set-cookie') this.cookies.take(value, this.path);
    const lacks = isExpected ? (this.step?.capture?.(answer, this.captured) ?? null) : null;
    if (!isExpected || lacks !== null) this.failed();
    else if (this.step?.spec.once) this.done.add(this.step.spec);
    return lacks;
  }

  failed(): void {
    if (this.step?.capture !== null || this.step?.spec.once) this.left = [];
  }

  wantsBody(): boolean {
    return Object.values(this.step?.spec.capture ?? {}).some(({ kind }) => kind === 'json');
  }

  thinkMs(): number {
    return thinkMs(this.step?.spec.think, this.random);
  }
}
