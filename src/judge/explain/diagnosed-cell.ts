import { formatShare } from '../../base/units.ts';
import { closedLoopClients, differInSize, loadKey, loadSize, sizeLabel } from '../../journal/load-level.ts';
import { type LoadLevel, type ResolvedScenario, variantNamed } from '../../journal/scenario-record.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import { plural } from '../format.ts';
import type { CellDetail } from '../read/cells/cell-detail.ts';
import { type CellSample, countOf } from '../read/cells/cell-sample.ts';
import type { IdleWork } from '../read/cells/work-sample.ts';
import { poolsOf } from '../read/held-pools.ts';
import { memoizeBy } from '../read/memoize-by.ts';
import { type ProbeValues, probeValue } from '../read/metrics/metric-aliases.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { sum } from '../stats/moments.ts';
import { compareVariants, type JudgedComparison } from '../verdicts/compare.ts';
import { controlArms, otherVariants } from '../verdicts/contrasts.ts';
import { type Scatter, scatterOf } from '../verdicts/scatter.ts';
import { isMachineFull, type Resource, saturationOf } from './saturation.ts';
import { factsOf } from './saturation-facts.ts';

/** A metric of a cell beside the control's. */
interface ChangeAgainstControl {
  readonly control: number;
  readonly value: number;
  /** True where the interval excludes 0; null where there are too few rounds for one. */
  readonly isClear: boolean | null;
}

/** A variant under a load level, as cross-checks see it. Both arms of the control are one. */
export interface DiagnosedCell {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly scenario: ResolvedScenario;
  /** CPUs of the machine that all of it ran on. */
  readonly cpuCount: number;
  /** The values of probes: means over slices. */
  readonly values: ProbeValues;
  readonly sample: CellSample;
  /** By round, of each of its arms: the control may have two. */
  readonly arms: readonly ReadonlyMap<number, CellSample>[];
  readonly detail: CellDetail;
  /** How many pools its service has (held-pools.ts). */
  readonly pools: number;
  /** The work of its arms while none was under load. */
  readonly idle: IdleWork;
  /** True where arms had their time in whole slices in half of its passes or more. */
  readonly inWholeSlices: boolean;
  /** Utilisation of a resource (0..1); null where no probe has it. */
  use(resource: Resource): number | null;
  /** Null for the control itself. */
  readonly control: DiagnosedCell | null;
  /** The cell of this variant under the smallest load; null where it is that cell, and where loads differ in kind. */
  readonly lightest: DiagnosedCell | null;
  /** How much it scatters beside the control; null for the control, and where its rounds do not show it. */
  readonly scatter: Scatter | null;
  /** Null where either has no such value, and for the control. */
  change(metric: Metric): ChangeAgainstControl | null;
}

/** Every cell that probes saw; the control before the variants of its load level. */
export function diagnosedCells(data: RunData, cpuCount: number): DiagnosedCell[] {
  const compared = memoizeBy(
    ({ name }: Metric) => name,
    (metric) => compareVariants(data, metric),
  );
  const cells = data.scenario.load.levels.flatMap((load) => {
    const { control: name } = data.scenario;
    const control = diagnosed(data, { variant: name, load, arms: controlArms(data, load) }, cpuCount);
    const others = otherVariants(data).flatMap((variant) => {
      const arms = [{ variant, load, repeat: false }];
      const cell = diagnosed(data, { variant, load, arms }, cpuCount);
      if (cell === null) return [];
      const change = (metric: Metric): ChangeAgainstControl | null =>
        changeOf(data, compared(metric), { variant, load }, metric);
      return [{ ...cell, control, change, scatter: scatterOf(data, variant) }];
    });
    return control === null ? others : [control, ...others];
  });
  return cells.map((cell) => ({ ...cell, lightest: lightestOf(cells, cell) }));
}

function lightestOf(cells: readonly DiagnosedCell[], { variant, load }: DiagnosedCell): DiagnosedCell | null {
  const alike = cells.filter((one) => one.variant === variant && differInSize(one.load, load));
  const [lightest] = alike.sort((a, b) => loadSize(a.load) - loadSize(b.load));
  return lightest === undefined || loadSize(lightest.load) === loadSize(load) ? null : lightest;
}

interface Side {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly arms: readonly ArmCell[];
}

function diagnosed(data: RunData, { variant, load, arms }: Side, cpuCount: number): DiagnosedCell | null {
  const sample = data.merged(arms);
  const detail = data.detail(arms);
  if (sample === null || detail.slices === 0) return null;
  const values = sample.probes;
  const { generatorUtilisation } = sample;
  const saturation = saturationOf({ values, cpuCount, generatorUtilisation, ...factsOf(data, arms, cpuCount) });
  return {
    variant,
    load,
    scenario: data.scenario,
    cpuCount,
    values,
    sample,
    arms: arms.map((arm) => data.samples(arm)),
    detail,
    pools: poolsOf(data, variant),
    idle: data.idle(arms),
    inWholeSlices: hadWholeSlices(data, load),
    use: (resource) => saturation?.uses.find((use) => use.resource === resource)?.utilisation ?? null,
    control: null,
    lightest: null,
    scatter: null,
    change: () => null,
  };
}

function hadWholeSlices({ passes }: RunData, load: LoadLevel): boolean {
  const level = passes.find((one) => loadKey(one.load) === loadKey(load));
  return level !== undefined && level.passes > 0 && 2 * sum(Object.values(level.wholeSlices)) >= level.passes;
}

function changeOf(
  data: RunData,
  findings: readonly JudgedComparison[],
  { variant, load }: Pick<Side, 'variant' | 'load'>,
  metric: Metric,
): ChangeAgainstControl | null {
  const found = findings.find((one) => one.variant === variant && loadKey(one.load) === loadKey(load));
  if (found === undefined) return null;
  const control = data.valueOverRounds(metric, found.contrast.control);
  const value = data.valueOverRounds(metric, [found.contrast.cell]);
  if (control === null || value === null) return null;
  const { interval } = found;
  return { control, value, isClear: interval === null ? null : interval[0] > 0 || interval[1] < 0 };
}

/** From here on failures may change what work comes to per request by as much as a cross-check takes for a difference. */
const MANY_FAILED = 0.05;

/**
 * True where more requests failed than the scenario allows, or so many that work divided by requests means little: what
 * is refused (429) often never reaches the database.
 */
export function failsOften({ sample, scenario }: Pick<DiagnosedCell, 'sample' | 'scenario'>): boolean {
  const { count, among } = countOf(sample);
  const allowed = (scenario.load.maxFailedPercent ?? 1) / 100;
  return count / Math.max(1, among) > Math.min(MANY_FAILED, allowed);
}

/** `with 1 client`, `with 25 clients`; where requests come otherwise, `under 200 requests/s`. */
export function withClients(load: LoadLevel): string {
  const clients = closedLoopClients(load);
  return clients === null ? `under ${sizeLabel(load)}` : `with ${plural(clients, 'client')}`;
}

/**
 * The share of the time in which the service was at work, or ready to work and without a CPU. It goes by its event loop
 * or, without one, by its busiest thread. An event loop that was not woken yet counts itself as idle, and a client
 * cannot see the difference. Where that is not known, a full machine may have kept it from working at any time. Null
 * where no probe has it.
 */
export function serviceBusy({ values, use }: Pick<DiagnosedCell, 'values' | 'use'>): number | null {
  const loop = probeValue(values, 'eventLoopShare') ?? use('service event loop');
  const thread = probeValue(values, 'serviceThreadCores');
  const waited = probeValue(values, 'serviceThreadWaited');
  if (thread !== null && waited !== null) return Math.min(1, Math.max(loop ?? 0, thread + waited));
  return isMachineFull({ use }) ? 1 : loop && Math.min(1, loop);
}

/** `the service's event loop is 94 % busy`, or of a service that has none `the service's busiest thread is ...`. */
export function loopInWords(
  { values, scenario, variant }: Pick<DiagnosedCell, 'values' | 'scenario' | 'variant'>,
  busy: number,
): string {
  const name = probeValue(values, 'eventLoopShare') === null ? 'busiest thread' : 'event loop';
  const instances = instancesOf(variantNamed(scenario, variant));
  if (instances > 1)
    return `the ${name === 'event loop' ? 'busiest event loop' : name} of the service's ${instances} instances is ${formatShare(busy)} busy`;
  return `the service's ${name} is ${formatShare(busy)} busy`;
}
