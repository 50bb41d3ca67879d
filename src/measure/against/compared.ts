import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import type { JobSource } from '../../journal/job-spec.ts';
import { type AgainstTaken, BRANCH } from '../../journal/run/against-record.ts';
import {
  type DatasetSpec,
  type ResolvedScenario,
  type Target,
  type Variant,
  variantNamed,
} from '../../journal/scenario-record.ts';
import { pathIn } from './repository.ts';

/** A side of a comparison: its variant, its snapshot, and its own command where it has one. */
interface Side {
  readonly name: string;
  readonly folder: string;
  readonly command?: string | undefined;
}

/** The folders that the control's service is started in; of a job alone the one that it runs in, or that has its file. */
export function foldersOf(scenario: ResolvedScenario): string[] {
  const { target, control } = scenario;
  const { cwd, services = {} } = variantNamed(scenario, control);
  if (target.kind === 'command') return [cwd ?? target.cwd];
  const job = jobOf(scenario);
  if (target.kind === 'none' && job !== undefined) return [job.kind === 'sql' ? dirname(job.file) : job.cwd];
  if (target.kind !== 'services') return [];
  return Object.entries(target.services).map(([name, service]) => services[name]?.cwd ?? service.cwd);
}

/** The control's job, if there is one. */
export function jobOf(scenario: ResolvedScenario): JobSource | undefined {
  return variantNamed(scenario, scenario.control).job ?? scenario.load.job?.source;
}

/**
 * The scenario with the commits and the folder as its variants, each as the control was and from its snapshot, its job too. What
 * else varied is left out. Throws PgsweepError `scenario` where a snapshot has no such job.
 */
export function compared(scenario: ResolvedScenario, taken: AgainstTaken): ResolvedScenario {
  const { question: _, cost: __, control, against, load, ...rest } = scenario;
  if (against === undefined) return scenario;
  const base = variantNamed(scenario, control);
  const branch: Side = { name: BRANCH, folder: taken.work.folder };
  const sides: Side[] = [...taken.commits.map(({ ref: name, ...commit }) => ({ ...commit, name })), branch];
  const own = against.own.includes('dataset');
  const placeOf = ({ folder }: Side, path: string): string => {
    // Files that no snapshot has, such as a dump, all sides share.
    const isShared = !existsSync(placeIn(taken.repository, branch.folder, path));
    return isShared ? path : placeIn(taken.repository, folder, path);
  };
  const dataOf = (side: Side): DatasetSpec => dataAt(scenario.dataset, (path) => placeOf(side, path));
  const job = jobOf(scenario);
  const { source: ___, ...spec } = load.job ?? {};
  const isAsWritten = scenario.variants.length === 1 && scenario.title !== scenario.name;
  return {
    ...rest,
    title: isAsWritten ? scenario.title : `Is my branch slower than ${against.refs[0]}?`,
    dataset: dataOf(branch),
    load: job === undefined ? load : { ...load, job: spec },
    variants: sides.map((side) => ({
      ...variantAt(base, scenario.target, taken.repository, side),
      ...(job !== undefined && { job: jobAt(job, side, (path) => placeOf(side, path)) }),
      ...(own && { dataset: dataOf(side) }),
    })),
    control: sides[0]?.name ?? control,
    against: { ...against, taken, ...(scenario.variants.length > 1 && { settings: control }) },
  };
}

function variantAt(
  { cost: _, ...base }: Variant,
  target: Target,
  root: string,
  { name, folder, command }: Side,
): Variant {
  const at = (path: string): string => placeIn(root, folder, path);
  const plain = { ...base, name, factors: {}, ...(command !== undefined && { command }) };
  if (target.kind === 'command') return { ...plain, cwd: at(base.cwd ?? target.cwd) };
  if (target.kind !== 'services') return plain;
  const services = Object.entries(target.services).map(([service, { cwd }]) => {
    const own = base.services?.[service];
    return [service, { ...own, cwd: at(own?.cwd ?? cwd) }] as const;
  });
  return { ...plain, services: Object.fromEntries(services) };
}

/** The job with its file or folder at another place. */
function jobAt(job: JobSource, { name, folder }: Side, at: (path: string) => string): JobSource {
  const [own, placed] = job.kind === 'sql' ? [job.file, at(job.file)] : [job.cwd, at(job.cwd)];
  // Before the snapshot is made it has nothing.
  if (existsSync(folder) && !existsSync(placed)) {
    throw new PgsweepError('scenario', `${name} has no ${own}, which load.job runs`, {
      hint: 'Compare with a commit that has it. Two different files are variants, each with its own job.',
    });
  }
  return job.kind === 'sql' ? { ...job, file: placed } : { ...job, cwd: placed };
}

/** The data set with its files at other places. */
function dataAt(dataset: DatasetSpec, at: (path: string) => string): DatasetSpec {
  if (dataset.kind === 'sql') return { ...dataset, files: dataset.files.map(at) };
  if (dataset.kind === 'dump') return { ...dataset, dump: at(dataset.dump) };
  return dataset.kind === 'command' ? { ...dataset, cwd: at(dataset.cwd) } : dataset;
}

function placeIn(root: string, folder: string, path: string): string {
  const inside = pathIn(root, path);
  return inside === null ? path : join(folder, inside);
}
