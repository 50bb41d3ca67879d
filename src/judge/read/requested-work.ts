import { createHash } from 'node:crypto';
import { baseName } from '../../base/files/base-name.ts';
import { leavesOf } from '../../base/leaves.ts';
import type { RequestSpec, ResolvedScenario } from '../../journal/scenario-record.ts';
import { stepsOf } from '../../journal/script-spec.ts';

/** The work that a run asks for: its requests and their number, each fact by its place. Headers are left out: who asks is no work. */
export function requestedWork(scenario: ResolvedScenario): [string, string][] {
  return [...leavesOf('load.bounded.count', scenario.load.bounded?.count), ...requestsOf(scenario)];
}

/** A short digest of that work: it is the same for two runs that ask for the same. */
export function workDigest(scenario: ResolvedScenario): string {
  const facts = requestedWork(scenario).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

function requestsOf({ load }: ResolvedScenario): [string, string][] {
  const { workload, bulk } = load;
  const ofBulk = leavesOf('load.bulk', bulk && { dataset: byName(bulk.dataset), update: bulk.update });
  // Two checkouts have a module each.
  if (workload.kind === 'module')
    return [
      ...ofBulk,
      ['load.workload', `module ${baseName(workload.module)}`],
      ...leavesOf('load.options', workload.options),
    ];
  if (workload.kind === 'k6') return [...ofBulk, ['load.workload', `k6 ${baseName(workload.script)} ${workload.exec}`]];
  if (workload.kind === 'built-in') return [...ofBulk, ...leavesOf('load.workload', workload)];
  if (workload.kind === 'script')
    return [
      ...ofBulk,
      ['load.workload', workload.kind],
      ...stepsOf(workload).flatMap((step, index) => leavesOf(`load.script.${index}`, withoutHeaders(step))),
      ...leavesOf(
        'load.script.weights',
        workload.parts.map((part) => (part.kind === 'choice' ? part.ways.map(({ weight }) => weight) : 1)),
      ),
      ...leavesOf('load.sessions', workload.sessions),
      ...leavesOf('load.data', workload.data && { file: baseName(workload.data.file) }),
    ];
  return [
    ...ofBulk,
    ['load.workload', workload.kind],
    ...workload.requests.flatMap((request, index) => leavesOf(`load.requests.${index}`, withoutHeaders(request))),
  ];
}

function withoutHeaders<T extends { readonly headers: RequestSpec['headers'] }>({
  headers: _,
  ...request
}: T): Omit<T, 'headers'> {
  return request;
}

/** Two checkouts have a module or a file each. */
function byName(dataset: NonNullable<ResolvedScenario['load']['bulk']>['dataset']): object {
  if (dataset.kind === 'module') return { ...dataset, module: baseName(dataset.module) };
  return dataset.kind === 'file' ? { ...dataset, file: baseName(dataset.file) } : dataset;
}
