import { NumberText } from '../../base/exact-json.ts';
import { isSecretKey } from '../../journal/run/secret-leaves.ts';
import { ADDRESSES, EMAIL, MADE_UP } from './e-mail.ts';
import { escaped } from './found.ts';
import { SECRET_NUMBER, withoutNamedSecrets } from './named-secrets.ts';

/** Names of what is a secret besides those that a scenario takes for one. */
const MORE_KEYS = /session|^sid$|credential|signature|^sig$|^(x-)?auth$|^otp$|^pin$|jwt|pwd|csrf|xsrf/i;
/** Forms of values that are secrets, wherever they stand. */
const FORMS =
  /eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*|\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|sk-[\w-]{16,}|[sr]k_(?:live|test)_\w{8,}|xox[abeprs]-[\w-]{8,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|glpat-[\w-]{16,})/g;
const CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi;
/** A value of one long word that nobody types. */
const OPAQUE = /^(?:[0-9a-f]{40,}|(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[\w+/=.~-]{40,})$/;
const SECRET_SEGMENTS = /^(reset|token|invite|invitation|verify|confirm|activate|magic|unsubscribe|session)s?$/i;
const SCHEME = /^(Bearer|Basic|Digest|Token|ApiKey|Negotiate)\s+(?=\S)/i;
const MOST_OF_A_NAME = 60;
/** Stands in a key of JSON for a secret. */
const REDACTED = 'redacted';

/** Takes secrets out of what was found. Texts come out as templates of the scenario language. */
export interface Redactor {
  /** The text under a key as a template: with a variable in place of a secret. */
  text(key: string, raw: string, isTemplate: boolean): string;
  /** A text of an address, as `text`. A variable stands for an address of e-mail, since what is asked for has to be there. */
  inAddress(key: string, raw: string, isTemplate: boolean): string;
  /** Redacts all texts of a JSON value, and its keys. */
  value(value: unknown, isTemplate: boolean): unknown;
  /** The variables that were written, with how many different secrets each stands for. */
  readonly variables: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The variable for what stands under a key: `x-api-key` becomes `X_API_KEY`. */
export function variableFor(key: string): string {
  const name = key
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MOST_OF_A_NAME);
  return name === '' ? 'SECRET' : /^\d/.test(name) ? `SECRET_${name}` : name;
}

/** Key of a path segment by the one before it: behind `/reset/` or `/token/` stands a secret. */
export function keyOfSegment(before = ''): string {
  return SECRET_SEGMENTS.test(before) ? `${before}_token` : '';
}

/** True if a segment of a path is a secret, by its form and the one before it. */
export function isSecretSegment(segment: string, before: string | undefined): boolean {
  return keyOfSegment(before) !== '' || OPAQUE.test(segment) || segment.search(FORMS) >= 0;
}

/** A text with something else in place of its secrets: of what shows by its form to be one, or stands behind the name of one. */
export function withoutSecrets(text: string, inPlaceOf: (secret: string) => string): string {
  return withoutNamedSecrets(text, inPlaceOf)
    .replace(FORMS, (found) => inPlaceOf(found))
    .replace(CREDENTIALS, (found, start: string) => `${start}${inPlaceOf(found)}@`);
}

/** True if values under this key must not be written down. */
export function isSecret(key: string): boolean {
  return isSecretKey(key) || MORE_KEYS.test(key);
}

/**
 * With `apart` each secret has its own variable, and so has each address of e-mail: what was sent has to be sent again, such
 * as a wrong password and then the right one.
 */
export function createRedactor({ apart = false } = {}): Redactor {
  const variables = new Map<string, Set<string>>();
  const reference = (key: string, secret: string): string => {
    const name = variableFor(key);
    for (let at = 1; ; at++) {
      const numbered = at === 1 ? name : `${name}_${at}`;
      const secrets = variables.get(numbered) ?? new Set();
      if (apart && secrets.size > 0 && !secrets.has(secret)) continue;
      variables.set(numbered, secrets.add(secret));
      return `\${env ${numbered}}`;
    }
  };

  function text(key: string, raw: string, isTemplate: boolean, isAddress = false): string {
    const plain = isTemplate ? raw : escaped(raw);
    // A variable is no secret, and neither is what a script captures by itself.
    if (raw === '' || (isTemplate && /(?<!\$)\$\{(env|captured) /.test(raw))) return plain;
    const email = (found: string): string => {
      if (!apart && !isAddress) return MADE_UP;
      return reference(found === raw && key !== '' ? key : `${found === raw ? '' : key}_email`, found);
    };
    // A description has examples.
    const hasEmail = apart || !isTemplate;
    if (hasEmail && !isAddress && EMAIL.test(raw)) return email(raw);
    if (isSecret(key)) {
      const [scheme = ''] = SCHEME.exec(raw) ?? [];
      return `${scheme}${reference(key, raw.slice(scheme.length))}`;
    }
    if (OPAQUE.test(raw)) return reference(key === '' ? 'secret' : key, raw);
    const withoutAny = (part: string): string => {
      const left = withoutSecrets(part, (secret) => reference(`${key}_secret`, secret));
      return hasEmail ? left.replace(ADDRESSES, email) : left;
    };
    // What stands between placeholders, at the even places. `$${` is none: a secret may hold it.
    return plain
      .split(/((?<!\$)\$\{[^}]*\})/)
      .map((part, at) => (at % 2 === 1 ? part : withoutAny(part)))
      .join('');
  }

  function value(given: unknown, isTemplate: boolean, key = '', within = false): unknown {
    const secret = within || isSecret(key);
    if (typeof given === 'string') return text(secret && !isSecret(key) ? `${key}_secret` : key, given, isTemplate);
    if (typeof given === 'number' || given instanceof NumberText)
      return secret && SECRET_NUMBER.test(key) ? text(`${key}_secret`, String(given), false) : finite(given);
    if (Array.isArray(given)) return given.map((one) => value(one, isTemplate, key, secret));
    if (typeof given !== 'object' || given === null) return given;
    // A scenario cannot have these keys.
    const kept = Object.entries(given).filter(([name]) => !['__proto__', '<<', ''].includes(name));
    const names = isTemplate && !apart ? kept.map(([name]) => name) : plainNames(kept.map(([name]) => name));
    const named = nameOfPair(given);
    const keyOf = (name = ''): string => (named !== null && name.toLowerCase() === 'value' ? named : name);
    return Object.fromEntries(
      kept.map(([, one], at) => [names[at], value(one, isTemplate, keyOf(names[at]), secret)] as const),
    );
  }

  return {
    text: (key, raw, isTemplate) => text(key, raw, isTemplate),
    inAddress: (key, raw, isTemplate) => text(key, raw, isTemplate, true),
    value: (given, isTemplate) => value(given, isTemplate),
    variables,
  };
}

/** `password` of `{ "name": "password", "value": "..." }`, as lists of fields have it; null where that is no name of a secret. */
function nameOfPair(given: object): string | null {
  const [, name] = Object.entries(given).find(([key]) => /^(name|key|field|id)$/i.test(key)) ?? [];
  return typeof name === 'string' && isSecret(name) ? name : null;
}

/** Keys without secrets and addresses of e-mail: no key of a scenario can be a variable. Different ones stay different. */
function plainNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  return names.map((name) => {
    const plain = OPAQUE.test(name)
      ? REDACTED
      : name.replace(FORMS, REDACTED).replace(CREDENTIALS, `$1${REDACTED}@`).replace(ADDRESSES, 'user@example.com');
    if (plain === name) return name;
    let free = plain;
    for (let at = 2; taken.has(free); at++) free = `${plain}_${at}`;
    taken.add(free);
    return free;
  });
}

/** OpenAPI has numbers that are too large for any. */
function finite(number: number | NumberText): number | NumberText | null {
  return typeof number !== 'number' || Number.isFinite(number) ? number : null;
}
