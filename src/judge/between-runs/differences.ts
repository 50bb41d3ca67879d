import { leavesOf } from '../../base/leaves.ts';
import type { RunRecord } from '../../journal/records.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { doubledVariant } from '../read/other-control.ts';
import { requestedWork } from '../read/requested-work.ts';
import {
  type Difference,
  type DifferenceArea,
  differenceAreas,
  type OfSides,
  type SessionFacts,
  type Side,
} from './types.ts';

/** A fact of a run: where it stands, and its value as text. */
interface Fact {
  readonly area: DifferenceArea;
  readonly value: string;
}

/**
 * Everything recorded that is not the same in all runs, in the order of areas. Variants and load levels that only some have
 * are no part of it.
 */
export function differencesOf(sessions: OfSides<readonly SessionFacts[]>): Difference[] {
  const all = [...sessions.base, ...sessions.head].map(({ run }) => run);
  const options = {
    variants: new Set(commonNames(all.map(({ scenario }) => scenario))),
    secrets: unknownSecretsOf(sessions).length === 0,
  };
  const facts = {
    base: sessions.base.map(({ run }) => factsOf(run, options)),
    head: sessions.head.map(({ run }) => factsOf(run, options)),
  };
  const areas = new Map<string, DifferenceArea>();
  for (const one of [...facts.base, ...facts.head]) for (const [place, { area }] of one) areas.set(place, area);
  const found = [...areas].flatMap(([place, area]): Difference[] => {
    const valuesIn = (side: Side): (string | null)[] => [
      ...new Set(facts[side].map((one) => one.get(place)?.value ?? null)),
    ];
    const values = { base: valuesIn('base'), head: valuesIn('head') };
    if (new Set([...values.base, ...values.head]).size === 1) return [];
    return [{ area, place, values: area === 'secrets' ? withoutDigests(values) : values }];
  });
  return found.sort((a, b) => differenceAreas.indexOf(a.area) - differenceAreas.indexOf(b.area));
}

/** A digest is nothing to look at: only which are the same. */
function withoutDigests(values: Difference['values']): Difference['values'] {
  const known = [...new Set([...values.base, ...values.head])].filter((value) => value !== null);
  const named = (some: readonly (string | null)[]): (string | null)[] =>
    some.map((value) => (value === null ? null : `secret ${known.indexOf(value) + 1}`));
  return { base: named(values.base), head: named(values.head) };
}

/** Names of variants that all of these have, in the order of the first. */
export function commonNames(scenarios: readonly Pick<ResolvedScenario, 'variants'>[]): string[] {
  const [first, ...others] = scenarios.map(({ variants }) => variants.map(({ name }) => name));
  const sets = others.map((names) => new Set(names));
  return (first ?? []).filter((name) => sets.every((names) => names.has(name)));
}

/** Places of secrets that cannot be compared: their digests are made with another key, or there was none. */
export function unknownSecretsOf(sessions: OfSides<readonly SessionFacts[]>): string[] {
  const all = [...sessions.base, ...sessions.head].flatMap(({ run }) => run.secrets ?? []);
  const keys = new Set(all.map(({ key }) => key));
  if (all.length < 2 || (keys.size === 1 && !keys.has(null))) return [];
  return [...new Set(all.flatMap(({ digests }) => Object.keys(digests)))].sort();
}

/** Which facts are looked at, besides those that every run has. */
interface FactOptions {
  readonly variants: ReadonlySet<string>;
  /** Digests of another key tell nothing of each other. */
  readonly secrets: boolean;
}

function factsOf(run: RunRecord, options: FactOptions): Map<string, Fact> {
  const { scenario, provenance, secrets } = run;
  const { postgresVersion, postgresBinaries, postgresSettings, stack, stackNote, dataset } = provenance;
  const { poolerVersion, distanceBy, openSearchVersion, openSearchRuntime, cpuModel, cpuCount, memoryBytes, kernel } =
    provenance;
  const facts = new Map<string, Fact>();
  const add = (area: DifferenceArea, path: string, value: unknown): void => {
    for (const [place, leaf] of leavesOf(path, value)) facts.set(place, { area, value: leaf });
  };
  // What the kernel keeps to itself differs from boot to boot.
  add('machine', '', { cpuModel, cpuCount, memoryGiB: Math.round(memoryBytes / 2 ** 30), kernel });
  add('stack', '', { stack, stackNote, postgresVersion, postgresBinaries, postgresSettings });
  add('stack', '', { poolerVersion, distanceBy, openSearchVersion, openSearchRuntime });
  add('stack', 'stack', scenario.stack);
  add('data set', 'dataset', dataset && { ...dataset, byResource: undefined, loadMs: undefined });
  add('data set', 'dataset', scenario.dataset);
  add('bench', '', { pgsweepVersion: provenance.pgsweepVersion, nodeVersion: provenance.nodeVersion });
  add('bench', 'journalVersion', run.version);
  add('bench', 'quick', run.quick);
  add('bench', 'probesOff', scenario.probesOff);
  add('code', 'gitCommit', provenance.gitCommit);
  add('service', 'target', scenario.target);
  for (const { name, ...variant } of scenario.variants)
    if (options.variants.has(name)) add('variants', `variants.${name}`, variant);
  add('variants', 'control', doubledVariant(scenario));
  const { levels: _, ...load } = scenario.load;
  add('load', 'load', load);
  add('rounds', 'rounds', scenario.rounds);
  add('rounds', 'marginPercent', scenario.marginPercent);
  add('rounds', 'judge', scenario.judge);
  if (options.secrets)
    for (const [place, digest] of Object.entries(secrets?.digests ?? {})) add('secrets', place, digest);
  return facts;
}

/**
 * Where requests are not the same work in all runs, so that neither rates nor latencies nor times mean the same; empty
 * where they are.
 * Headers may differ: who asks is no work.
 */
export function otherWork(sessions: OfSides<readonly SessionFacts[]>): string[] {
  const works = [...sessions.base, ...sessions.head].map(({ run }) => new Map(requestedWork(run.scenario)));
  const places = new Set(works.flatMap((work) => [...work.keys()]));
  return [...places].filter((place) => new Set(works.map((work) => work.get(place))).size > 1);
}
