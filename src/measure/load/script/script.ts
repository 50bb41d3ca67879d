import { CookieJar } from 'tough-cookie';
import type { CsvRows } from '../../../base/files/csv-rows.ts';
import { createRandom, type Random, seedOf } from '../../../base/random.ts';
import { type ScriptSpec, type StepSpec, stepsOf, type ThinkTime } from '../../../journal/script-spec.ts';
import { basePath } from '../base-path.ts';
import { checksOf } from '../requests/body-check.ts';
import { compileRequest, type Render, type TemplateContext, templatePartsOf } from '../requests/compile-request.ts';
import type { GeneratedRequest } from '../requests/generated-request.ts';
import { type Capture, type Captured, compileCaptures, type ScriptAnswer } from './captures.ts';
import { chosenSteps, type Place, placesOf } from './place.ts';
import type { Script, ScriptSession } from './session.ts';

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
  /** The name of its header Cookie, as the scenario spells it; undefined where it has none. */
  readonly cookieHeader: string | undefined;
  /** Names of captured values that it sends. */
  readonly needs: readonly string[];
}

/** The user whose request is being made. */
interface Current {
  user: User | null;
}

/** Steps are compiled once for all users: what differs between them is asked when a request is made. */
export function compileScript(spec: ScriptSpec, context: ScriptContext): Script {
  const url = new URL(context.url);
  const base = basePath(url);
  const steps = stepsOf(spec);
  const current: Current = { user: null };
  const templates = templatesOf(current, context);
  const compiled = new Map(
    steps.map((step, name): [StepSpec, CompiledStep] => {
      const capture = Object.keys(step.capture ?? {}).length === 0 ? null : compileCaptures(step.capture ?? {}, base);
      const cookieHeader = Object.keys(step.headers).find((header) => header.toLowerCase() === 'cookie');
      const needs = templatePartsOf(step).flatMap((part) => (part.kind === 'captured' ? part.name : []));
      return [step, { spec: step, render: compileRequest(step, name, templates), capture, cookieHeader, needs }];
    }),
  );
  const compiledOf = (way: readonly StepSpec[]): CompiledStep[] => way.flatMap((step) => compiled.get(step) ?? []);
  const way = (random: Random): CompiledStep[] => compiledOf(spec.parts.flatMap((part) => chosenSteps(part, random)));
  const place = placesOf(spec);
  const captured = steps.flatMap(({ capture }) => Object.values(capture ?? {}));
  return {
    names: steps.map(({ name }) => name),
    expected: steps.map(({ expect }) => expect),
    ...checksOf(steps),
    looksAt: ['set-cookie', ...captured.flatMap((one) => (one.kind === 'header' ? [one.name] : []))],
    openSession(number, { underWay = false } = {}) {
      const random = createRandom(seedOf(context.seed, 'user', number));
      const row = context.rows?.[number % context.rows.length] ?? {};
      const isNew = spec.sessions === 'new';
      const at = place(random);
      const openJar = (): Cookies => createCookies(url.origin + base);
      const user = new User({ random, row, openJar, place: at, current, way, isNew });
      if (underWay && at !== null) user.goTo(at, compiledOf);
      return user;
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

interface UserParts {
  readonly random: Random;
  readonly row: Readonly<Record<string, string>>;
  readonly openJar: () => Cookies;
  /** True if a user who begins again is a new one. */
  readonly isNew: boolean;
  /** Where it is met; null where that is nowhere. */
  readonly place: Place | null;
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
  /** How many of these it has sent before it is met. */
  private behind = 0;
  private step: CompiledStep | null = null;
  /** URL of the last request, without its query. */
  private path = '/';

  constructor(parts: UserParts) {
    this.parts = parts;
    this.cookies = parts.openJar();
    this.random = parts.random;
    this.row = parts.row;
    this.startMs = restOfPauseMs(parts.place?.step.think, parts.random);
  }

  get isBehind(): boolean {
    return this.behind > 0;
  }

  /**
   * Continues at a place of a way. Steps that it sends `once` and later on this way are long done: then a whole way comes
   * first.
   */
  goTo({ way, step }: Place, compiled: (way: readonly StepSpec[]) => CompiledStep[]): void {
    const until = way.indexOf(step) + 1;
    const isDone = this.parts.isNew || way.slice(until).every(({ once }) => !once);
    const again = isDone ? [] : way.filter(({ once }) => !once);
    this.left = compiled([...way, ...again]);
    this.behind = isDone ? until : way.length + again.indexOf(step) + 1;
  }

  next(): GeneratedRequest {
    while (this.left.length === 0) this.left = this.beginWay();
    const step = this.left.shift();
    this.behind = Math.max(0, this.behind - 1);
    if (step === undefined) throw new RangeError('a script has a step that is sent more than once');
    this.step = step;
    this.parts.current.user = this;
    const request = step.render();
    this.path = request.path.split('?', 1)[0] ?? '/';
    const kept = this.cookies.headerFor(this.path);
    if (kept === null) return request;
    const { cookieHeader = 'cookie' } = step;
    const cookie = withCookies(request.headers?.[cookieHeader] ?? '', kept);
    return { ...request, headers: { ...request.headers, [cookieHeader]: cookie } };
  }

  private beginWay(): CompiledStep[] {
    if (this.parts.isNew) {
      this.cookies = this.parts.openJar();
      this.captured.clear();
      this.done.clear();
    }
    for (;;) {
      const way = this.parts.way(this.random).filter(({ spec }) => !this.done.has(spec));
      // Of requests that are drawn some need what others capture; a script begins with steps that need nothing.
      if (way[0]?.needs.every((name) => this.captured.has(name)) ?? true) return way;
    }
  }

  answered(answer: ScriptAnswer, isExpected: boolean): string | null {
    for (const [name, value] of answer.headers) if (name === 'set-cookie') this.cookies.take(value, this.path);
    const lacks = isExpected ? (this.step?.capture?.(answer, this.captured) ?? null) : null;
    if (!isExpected || lacks !== null) this.failed();
    else if (this.step?.spec.once) this.done.add(this.step.spec);
    return lacks;
  }

  failed(): void {
    if (this.step?.capture === null && !this.step.spec.once) return;
    this.left = [];
    this.behind = 0;
  }

  wantsBody(): boolean {
    return Object.values(this.step?.spec.capture ?? {}).some(({ kind }) => kind === 'json');
  }

  thinkMs(): number {
    return thinkMs(this.step?.spec.think, this.random);
  }
}

/** The cookies of one user, kept as a browser keeps them (RFC 6265): by domain, path and age. */
interface Cookies {
  /** Takes a header Set-Cookie; one that the service may not set is ignored. */
  take(setCookie: string, path: string): void;
  /** The header Cookie of a request; null where there is none. */
  headerFor(path: string): string | null;
}

/** An empty jar, for a user of the service at `base`. */
function createCookies(base: string): Cookies {
  // Most users of most services never get a cookie.
  let jar: CookieJar | null = null;
  return {
    take(setCookie, path) {
      jar ??= new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true });
      jar.setCookieSync(setCookie, base + path, { ignoreError: true });
    },
    headerFor: (path) => jar?.getCookieStringSync(base + path) || null,
  };
}

/** The cookies of a step's own header with those that the user keeps. An answer's cookie replaces one of its name. */
function withCookies(own: string, kept: string): string {
  const nameOf = (pair: string): string => pair.split('=', 1)[0]?.trim() ?? '';
  const names = new Set(['', ...kept.split(';').map(nameOf)]);
  const others = own.split(';').filter((pair) => !names.has(nameOf(pair)));
  return [...others.map((pair) => pair.trim()), kept].join('; ');
}

/** Nobody thinks longer: an exponential draw has no end, and a timer has one. */
const LONGEST_MS = 24 * 3_600_000;

/** Draws a pause, in milliseconds: an exponential one by inversion, -mean x ln(1 - u). */
export function thinkMs(think: ThinkTime | undefined, random: Pick<Random, 'next'>): number {
  switch (think?.kind) {
    case undefined:
      return 0;
    case 'constant':
      return think.ms;
    case 'exponential':
      return Math.min(LONGEST_MS, -think.meanMs * Math.log(1 - random.next()));
    case 'uniform':
      return think.fromMs + random.next() * (think.toMs - think.fromMs);
  }
}

/**
 * Draws what is left of a pause that a user is met in at any moment, in milliseconds. Users who begin so have come to their steady state at once (the equilibrium of a renewal process: Cox, Renewal
 * Theory, 1962, 5.3). Were they to come evenly within one mean pause of exponential ones, those who are back already would come on
 * top: near its limit a service had a queue from it whose p95 was a sixth too long after 25 pauses.
 */
export function restOfPauseMs(pause: ThinkTime | undefined, random: Pick<Random, 'next'>): number {
  switch (pause?.kind) {
    case undefined:
      return 0;
    case 'constant':
      return random.next() * pause.ms;
    case 'exponential':
      return thinkMs(pause, random);
    case 'uniform': {
      // A long pause is met more often than a short one.
      const [low, high] = [pause.fromMs ** 2, pause.toMs ** 2];
      return random.next() * Math.sqrt(low + random.next() * (high - low));
    }
  }
}
