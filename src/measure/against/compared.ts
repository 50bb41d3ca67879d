import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

/** The folders that the control's service is started in. */
export function foldersOf(scenario: ResolvedScenario): string[] {
  const { target, control } = scenario;
  const { cwd, services = {} } = variantNamed(scenario, control);
  if (target.kind === 'command') return [cwd ?? target.cwd];
  if (target.kind !== 'services') return [];
  return Object.entries(target.services).map(([name, service]) => services[name]?.cwd ?? service.cwd);
}

/**
 * The scenario with the commits and the folder as its variants, each as the control was and from its snapshot. What else varied
 * is left out.
 */
export function compared(scenario: ResolvedScenario, taken: AgainstTaken): ResolvedScenario {
  const { question: _, cost: __, control, against, ...rest } = scenario;
  if (against === undefined) return scenario;
  const base = variantNamed(scenario, control);
  const branch: Side = { name: BRANCH, folder: taken.work.folder };
  const sides: Side[] = [...taken.commits.map(({ ref: name, ...commit }) => ({ ...commit, name })), branch];
  const own = against.own.includes('dataset');
  const dataOf = ({ folder }: Side): DatasetSpec =>
    dataAt(scenario.dataset, (path) => {
      // Files that no snapshot has, such as a dump, all sides share.
      const isShared = !existsSync(placeIn(taken.repository, branch.folder, path));
      return isShared ? path : placeIn(taken.repository, folder, path);
    });
  const isAsWritten = scenario.variants.length === 1 && scenario.title !== scenario.name;
  return {
    ...rest,
    title: isAsWritten ? scenario.title : `Is my branch slower than ${against.refs[0]}?`,
    dataset: dataOf(branch),
    variants: sides.map((side) => ({
      ...variantAt(base, scenario.target, taken.repository, side),
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
