import { groupBy } from '../../base/group-by.ts';
import { present } from '../../base/present.ts';
import type { Journal } from '../../journal/journal.ts';
import { hasPostgres, needsPostgres } from '../../journal/link/own-database.ts';
import { loadKind, loadSize, traitsOf } from '../../journal/load-level.ts';
import { variedHousekeeping } from '../../journal/postgres/housekeeping.ts';
import type { Provenance } from '../../journal/records.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { keepsSessions } from '../../journal/script-spec.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import type {
  ByAutocannon,
  ClosingServices,
  IdleInstances,
  OtherControl,
  OwnDatabases,
  ProvenanceChange,
  RunNote,
} from '../notes.ts';
import { isThrottled, throttledShareOf } from '../read/rounds/disturbance.ts';
import { linkNotes } from '../read/rounds/links.ts';
import { turnNotes } from '../read/rounds/passes.ts';
import { warmupNotes } from '../read/rounds/warmups.ts';
import type { RunData } from '../read/run-data.ts';
import { cellsOf } from './contrasts.ts';
import { isGrowing, seesTrends, steadyNotes, steadyTrends } from './steady-rates.ts';
import { voidLevels } from './void-levels.ts';

/** A quick run sees no trends: an arm that had less of its warm-up than this is taken for cold. */
const COLD_SHARE = 1 / 3;

/** Everything that is odd about a run, whatever was found by it. */
export function notesOn(journal: Journal, data: RunData): RunNote[] {
  const { ignoredSlices, turns } = data;
  const { scenario, withoutCounters, provenance, shortRounds } = journal.run;
  const changes = changesOnResume(provenance, turns);
  const housekeeping = variedHousekeeping(scenario);
  const unsteady = steadyNotes(data);
  // Fewer requests were enough where no rate grew after them.
  const grew = steadyTrends(data).some(isGrowing);
  const warmup = warmupNotes(data.warmups, data.rounds.length, (load) =>
    isThrottled(throttledShareOf(data.conditions, load)),
  );
  const isCold = warmup.some(({ requests, wanted }) => requests < COLD_SHARE * wanted);
  const warmupMatters = data.quick ? isCold : grew || !seesTrends(data);
  return present<RunNote>([
    ...journal.warnings.map((text) => ({ kind: 'journal', text }) as const),
    voidLevels(data).length > 0 && { kind: 'void-included' },
    closingServices(data),
    expiredSessions(data),
    byAutocannon(data),
    idleInstances(scenario),
    Object.keys(data.killed).length > 0 && { kind: 'killed-services', variants: data.killed },
    ...linkNotes(data.links),
    ...turnNotes(data.passes),
    shortRounds !== undefined && { kind: 'short-rounds', ...shortRounds },
    ...(warmupMatters ? warmup : []),
    ...unsteady,
    housekeeping && { kind: 'housekeeping', ...housekeeping },
    ignoredSlices > 0 && { kind: 'unfinished-round', slices: ignoredSlices },
    ownDatabases(data),
    withoutCounters !== null && needsPostgres(scenario) && { kind: 'no-database-columns', text: withoutCounters },
    changes.length > 0 && { kind: 'resumed-elsewhere', changes },
  ]);
}

/** A note where the run is judged against another control than it was planned with. */
export function otherControlNotes({ scenario, left }: RunData): OtherControl[] {
  const { control, plannedControl } = scenario;
  if (plannedControl === undefined) return [];
  const byVariant = groupBy(left.cells, ({ variant }) => variant).flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ variant: first.variant, loads: own.map(({ load }) => load) }];
  });
  const decided = left.levels.length > 0 && { decided: left.levels.map(({ load }) => load) };
  return [{ kind: 'other-control', control, planned: plannedControl, left: byVariant, ...decided }];
}

/** A note where services have no Postgres of pgsweep; null where all have, and where another process started them. */
function ownDatabases({ scenario: { target, variants } }: RunData): OwnDatabases | null {
  const own = target.kind === 'url' ? [] : variants.filter((variant) => !hasPostgres(variant));
  if (own.length === 0) return null;
  const kept = own.filter(({ reset }) => reset === undefined).map(({ name }) => name);
  return { kind: 'own-databases', variants: own.map(({ name }) => name), all: own.length === variants.length, kept };
}

/** A note where services close the connection after each answer; null where none does. */
function closingServices({ scenario, closing }: RunData): ClosingServices | null {
  const variants = scenario.variants.map(({ name }) => name).filter((name) => closing.has(name));
  if (variants.length === 0) return null;
  return { kind: 'closing-services', variants, all: variants.length === scenario.variants.length };
}

/** Fewer than this share of the requests are what any service may answer now and then. */
const LEAST_EXPIRED = 0.01;

/** A note where sessions of users seem to have expired, discarded slices included; null where none has. */
function expiredSessions(data: RunData): RunNote | null {
  const { workload } = data.scenario.load;
  if (workload.kind !== 'script' || !keepsSessions(workload)) return null;
  const everything = data.withVoidSlices();
  const cells = cellsOf(data).filter((cell) => {
    const sample = everything.merged([cell]);
    if (sample === null) return false;
    const { ok, notOk, errors, timeouts, statuses } = sample;
    const [failed, expired] = [notOk + errors + timeouts, statuses.get('401') ?? 0];
    return expired > failed / 2 && expired >= LEAST_EXPIRED * (ok + failed);
  });
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  return variants.length === 0 ? null : { kind: 'expired-sessions', variants };
}

/** A note where autocannon sent the load; null where it did not. */
function byAutocannon(data: RunData): ByAutocannon | null {
  const { load, variants } = data.scenario;
  const levels = load.levels.filter((level) => loadKind(level) === 'autocannon');
  if (levels.length === 0) return null;
  const cells = variants.flatMap(({ name: variant }) =>
    levels.map((level) => {
      const { probes = {} } = data.merged([{ variant, load: level, repeat: false }]) ?? {};
      return { variant, lost: probes.autocannon_lost ?? 0, cutOff: probes.autocannon_cut_off ?? 0 };
    }),
  );
  const losing = cells.filter(({ lost }) => lost > 0).map(({ variant }) => variant);
  return {
    kind: 'by-autocannon',
    cutOff: Math.max(...cells.map(({ cutOff }) => cutOff)),
    lost: Math.max(...cells.map(({ lost }) => lost)),
    variants: [...new Set(losing)],
  };
}

/** The load levels with fewer connections or users than some service has instances; null where there are none. */
export function idleInstances({ variants, load }: Pick<ResolvedScenario, 'variants' | 'load'>): IdleInstances | null {
  const instances = Math.max(1, ...variants.map(instancesOf));
  const loads = load.levels.filter((level) => !traitsOf(level).isOpenLoop && loadSize(level) < instances);
  return loads.length === 0 ? null : { kind: 'idle-instances', loads, instances };
}

/** A change of these in mid-run matters to a reader of the delta. */
const watched = [
  'pgsweepVersion',
  'gitCommit',
  'cpuModel',
  'cpuCount',
  'memoryBytes',
  'kernel',
  'nodeVersion',
  'stack',
  'postgresVersion',
] as const satisfies readonly (keyof Provenance)[];

function watchedIn(provenance: Provenance): Map<string, string | number | null> {
  const commits = Object.entries(provenance.variantCommits ?? {});
  return new Map([
    ...watched.map((name) => [name, provenance[name]] as const),
    ...commits.map(([variant, commit]) => [`variantCommits.${variant}`, commit] as const),
  ]);
}

/** Rounds stay comparable, each within itself, when a run is resumed elsewhere; a reader of the averages must know. */
function changesOnResume(provenance: Provenance, turns: RunData['turns']): ProvenanceChange[] {
  let before = provenance;
  // A run that goes to and fro between two machines says so once.
  const changes = new Map<string, ProvenanceChange>();
  for (const record of turns) {
    if (record.type !== 'resume') continue;
    const were = watchedIn(before);
    for (const [name, after] of watchedIn(record.provenance)) {
      const change = { name, before: were.get(name) ?? null, after };
      if (change.before !== change.after) changes.set(JSON.stringify(change), change);
    }
    before = record.provenance;
  }
  return [...changes.values()];
}
