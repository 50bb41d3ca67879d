import {
  expectSecrets,
  MASK,
  maskKnown,
  rememberSecret,
  type SecretDigests,
  secretDigests,
} from '../../base/secrets.ts';
import type { ResolvedScenario, Target, Variant } from '../scenario-record.ts';
import type { WithSecrets } from '../secrets-record.ts';

/** Keys whose values are secret. */
const SECRET_KEY = /token|secret|password|passwd|key|^(proxy-)?authorization$|^(set-)?cookie$/i;
/** Under these keys stand what a service or a request is given; other keys are words of the scenario. */
const GIVEN = new Set(['env', 'headers', 'body']);
/** Keys by which records are identified. */
const NAMES = new Set(['name', 'factors']);
/** `https://user:password@host` */
const CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)([^\s/?#@]+)@/gi;
const QUERY = /([?&][^=&#\s]*(?:token|secret|password|passwd|key)[^=&#\s]*=)([^&#\s]+)/gi;

/** Checks by its name if a key holds a secret. */
export function isSecretKey(name: string): boolean {
  return SECRET_KEY.test(name);
}

/** The parts of a run that can hold secrets. */
export interface Holder {
  readonly target: Target;
  readonly variant?: Variant;
  readonly variants?: readonly Variant[];
  readonly load?: unknown;
}

/** A text with a secret in it, and how it is shown. */
interface SecretLeaf {
  readonly place: string;
  readonly value: string;
  readonly masked: string;
}

/** A text with known secrets masked, and with those that its form gives away. */
export function maskText(text: string): string {
  return maskKnown(text.replace(CREDENTIALS, `$1${MASK}@`).replace(QUERY, `$1${MASK}`));
}

/** Remembers the secrets in a scenario's texts. They are then masked everywhere. */
export function rememberSecrets(holder: Holder): void {
  if (holder.target.kind !== 'service' && holder.target.login !== undefined) expectSecrets();
  walk(holder, '', null, (_, value, isSecret) => {
    if (isSecret) rememberValue(value);
    rememberUrlSecrets(value);
    return value;
  });
}

/** `${token}`, which is a word of the scenario; `$${` is a literal `${`. */
const PLACEHOLDER = /(?<!\$)\$\{[^}]*\}/g;

/** Text beside a placeholder that is shorter may be anything, such as `sid=` or `user-`. */
const LEAST_BESIDE = 8;

/** Remembers a secret value, and the literal text beside its placeholders, which are no secrets. */
function rememberValue(value: string): void {
  const literals = value.split(PLACEHOLDER);
  // `Bearer abc`: the service prints the second word alone.
  const [, word = ''] = /^\S+ (\S+)$/.exec(value) ?? [];
  for (const one of [value, word]) if (one.replace(PLACEHOLDER, '') !== '') rememberSecret(one);
  if (literals.length === 1) return;
  for (const text of literals.map((one, index) => (index === 0 ? one.replace(/^\S+ /, '') : one)))
    if (text.length >= LEAST_BESIDE) rememberSecret(text);
}

/** Remembers the user, password and query of the URLs in a text as secrets. */
export function rememberUrlSecrets(text: string): void {
  for (const [, , credentials = ''] of text.matchAll(CREDENTIALS)) {
    rememberSecret(credentials);
    const password = credentials.slice(credentials.indexOf(':') + 1);
    rememberSecret(password);
    rememberSecret(decoded(password));
  }
  for (const [, , secret = ''] of text.matchAll(QUERY)) {
    // A placeholder, or its first word.
    if (!/^\$\{[^}]*\}?$/.test(secret)) rememberSecret(decoded(secret));
  }
}

/** A text with its percent-encoding decoded; unchanged if the encoding is invalid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Masks every secret as `***`, and returns a digest of each by its place. */
export function withoutSecrets<T extends Holder>(
  holder: T,
  digests: SecretDigests | null,
): { masked: T; digests: Record<string, string> } {
  const found: SecretLeaf[] = [];
  const masked = walk(holder, '', null, (place, value, isSecret) => {
    const text = isSecret ? MASK : maskText(value);
    if (text !== value) found.push({ place, value, masked: text });
    return text;
  }) as T;
  return {
    masked,
    digests: Object.fromEntries(found.map(({ place, value }) => [place, digests?.of(place, value) ?? ''])),
  };
}

/** Masks a scenario for the journal, with digests of its secrets. Makes a user's key only where there is a secret. */
export function recordedSecrets(scenario: ResolvedScenario): { masked: ResolvedScenario; secrets: WithSecrets } {
  const { masked, digests: places } = withoutSecrets(scenario, null);
  if (Object.keys(places).length === 0) return { masked, secrets: {} };
  const keyed = secretDigests();
  return { masked, secrets: { secrets: { key: keyed.key, digests: withoutSecrets(scenario, keyed).digests } } };
}

/**
 * A recorded scenario with its secrets as they are in the file now. `missing` lists secrets that the file lacks now,
 * `changed` those with another value.
 */
export function withSecrets<T extends Holder>(
  recorded: T,
  now: Holder,
  before: Readonly<Record<string, string>>,
  digests: SecretDigests | null,
): { scenario: T; missing: string[]; changed: string[] } {
  const values = new Map<string, string>();
  walk(now, '', null, (place, value) => {
    values.set(place, value);
    return value;
  });
  const missing: string[] = [];
  const changed: string[] = [];
  const scenario = walk(recorded, '', null, (place, text) => {
    if (!Object.hasOwn(before, place)) return text;
    const value = values.get(place);
    if (value === undefined) missing.push(place);
    else if (digests !== null && digests.of(place, value) !== before[place]) changed.push(place);
    return value ?? text;
  }) as T;
  return { scenario, missing, changed };
}

type Visit = (place: string, value: string, isSecret: boolean) => string;

/**
 * The value with each of its texts as `visit` gives it back. `given`: below a key of GIVEN, the levels of the variant,
 * which are the question and stand in every table; null elsewhere.
 */
function walk(
  value: unknown,
  place: string,
  given: ReadonlySet<string> | null,
  visit: Visit,
  isSecret = false,
): unknown {
  if (typeof value === 'string') return visit(place, value, isSecret);
  if (Array.isArray(value)) return value.map((one, index) => walk(one, `${place}.${index}`, given, visit, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  const levels = given ?? new Set(Object.values((value as Partial<Variant>).factors ?? {}).map(String));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      // Names stand in every record: of requests they are masked as soon as they are made.
      if (given === null && NAMES.has(key)) return [key, one];
      const within = GIVEN.has(key) ? levels : given;
      const secret = isSecret || (given !== null && SECRET_KEY.test(key) && !given.has(String(one)));
      return [key, walk(one, place === '' ? key : `${place}.${key}`, within, visit, secret)];
    }),
  );
}
