import { isDeepStrictEqual } from 'node:util';
import { MASK } from '../../base/secrets.ts';
import type { RunRecord } from '../../journal/records.ts';
import type { Treatment, Variant } from '../../journal/scenario-record.ts';
import { partKeys } from '../../journal/variant-parts.ts';
import { checkoutsOf, ownVariant } from './checkouts.ts';
import { LEAST_SESSIONS } from './levels.ts';
import type {
  Difference,
  DifferenceArea,
  OfSides,
  SessionFacts,
  Settling,
  SettlingParts,
  SettlingVariant,
} from './types.ts';

/** Areas that a sweep cannot vary, the most important first. */
const FIXED = ['machine', 'data set', 'stack', 'bench', 'secrets'] as const satisfies DifferenceArea[];

/**
 * The measurement that would settle what separate sessions cannot. One sweep has the control of each side as a variant,
 * where a variant can be what differs. Else run sessions alternately.
 */
export function settlingOf(sessions: OfSides<readonly SessionFacts[]>, differences: readonly Difference[]): Settling {
  const [base, head] = [sessions.base[0]?.run, sessions.head[0]?.run];
  if (base === undefined || head === undefined) return { kind: 'two-folders' };
  const found = checkoutsOf({ base, head });
  const commits = found?.commits ?? null;
  const variants = { base: controlOf(base, head), head: controlOf(head, base) };
  const { base: ofBase, head: ofHead } = variants;
  const apart =
    found === null
      ? variants
      : { base: { ...ofBase, cwd: found.cwds.base }, head: { ...ofHead, cwd: found.cwds.head } };
  if (JSON.stringify(apart.base) !== JSON.stringify(apart.head)) return { kind: 'one-sweep', variants: apart, commits };
  const area = FIXED.find((one) => differences.some((difference) => difference.area === one && isBetween(difference)));
  const isOwn = ['command', 'services'].includes(head.scenario.target.kind);
  if (area === undefined && isOwn) return { kind: 'two-folders' };
  return { kind: 'in-turn', area: area ?? null, needed: LEAST_SESSIONS };
}

/** True for a difference between the sides, and not only within one. */
function isBetween({ values: { base, head } }: Difference): boolean {
  return base.some((value) => !head.includes(value)) || head.some((value) => !base.includes(value));
}

/**
 * The control of a run with its own settings: all that it sets, and what of its run's target and stack the other does
 * not share.
 */
function controlOf(run: RunRecord, other: RunRecord): SettlingVariant {
  const { target, stack } = run.scenario;
  const own = ownVariant(run);
  const env = { ...unlike(envOf(run), envOf(other)), ...unmasked(own?.env ?? {}) };
  const { settings: ofVariant, postgres: release, ...changes }: Partial<Treatment> = own?.treatment ?? {};
  const settings = { ...unlike(stack.postgres.settings, other.scenario.stack.postgres.settings), ...ofVariant };
  const postgres = { ...releaseOf(run, other), ...release };
  return {
    ...differingTarget(target, own, other),
    ...differingParts(own, ownVariant(other)),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(postgres).length > 0 && { postgres }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...withoutEmpty(changes),
  };
}

/** Changes of every kind that there is. */
function withoutEmpty(changes: Partial<Treatment>): Partial<Treatment> {
  const made = Object.entries(changes).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return Object.fromEntries(made) as Partial<Treatment>;
}

/** Where the service is, if that is not the same in both. */
function differingTarget(
  target: RunRecord['scenario']['target'],
  own: Variant | undefined,
  other: RunRecord,
): Pick<SettlingVariant, 'cwd' | 'command' | 'url' | 'database' | 'reset'> {
  const that = other.scenario;
  const theirs = ownVariant(other);
  if (target.kind === 'url' && that.target.kind === 'url') {
    const url = own?.url ?? target.url;
    return url === (theirs?.url ?? that.target.url) ? {} : { url };
  }
  if (target.kind !== 'command' || that.target.kind !== 'command') return {};
  const [cwd, command] = [own?.cwd ?? target.cwd, own?.command ?? target.command];
  return {
    ...(cwd !== (theirs?.cwd ?? that.target.cwd) && { cwd }),
    ...(command !== (theirs?.command ?? that.target.command) && { command }),
    ...(own?.database !== undefined && own.database !== theirs?.database && { database: own.database }),
    ...(own?.reset !== undefined && own.reset !== theirs?.reset && { reset: own.reset }),
  };
}

/** Parts of a control that the other run's control has otherwise; null where only that has one. */
function differingParts(own: Variant | undefined, theirs: Variant | undefined): SettlingParts {
  const differing = partKeys.filter((key) => !isDeepStrictEqual(own?.[key], theirs?.[key]));
  return Object.fromEntries(differing.map((key) => [key, own?.[key] ?? null]));
}

function envOf({ scenario: { target } }: RunRecord): Readonly<Record<string, string>> {
  return target.kind === 'url' ? {} : target.env;
}

/** Values that differ between both. A variant cannot remove a variable that only the other has. */
function unlike(
  own: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): Record<string, string> {
  return unmasked(Object.fromEntries(Object.entries(own).filter(([name, value]) => other[name] !== value)));
}

/** A secret is nowhere in a run folder: the scenario has it. */
function unmasked(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !value.includes(MASK)));
}

/** The Postgres of a run, where a variant can have it and the other run had another. */
function releaseOf({ provenance }: RunRecord, { provenance: other }: RunRecord): NonNullable<Treatment['postgres']> {
  const version = /^\d+(\.\d+)?/.exec(provenance.postgresVersion ?? '')?.[0];
  const { stack } = provenance;
  const isOther = version !== undefined && provenance.postgresVersion !== other.postgresVersion;
  const isOtherStack = stack !== other.stack && (stack === 'docker' || stack === 'embedded');
  return { ...(isOther && { version }), ...(isOtherStack && { stack }) };
}
