import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, problemOf } from '../../finding.ts';
import { inspectScript, k6Version } from '../../load/k6/k6-program.ts';

/** k6, which only a scenario with `load.k6` needs. */
export async function examineK6({ load }: Pick<ResolvedScenario, 'load'>): Promise<Finding> {
  const { workload } = load;
  try {
    const version = await k6Version();
    if (workload.kind !== 'k6') return ok('k6', `v${version}`);
    await inspectScript(workload);
    return ok('k6', `v${version}, which can run ${workload.script}`);
  } catch (error) {
    if (!(error instanceof PgsweepError)) throw error;
    return workload.kind === 'k6' ? problemOf('k6', error) : ok('k6', `${messageOf(error)}: only load.k6 needs it`);
  }
}

/** Throws PgsweepError `load` where a scenario needs k6 and there is none, and `scenario` where k6 cannot run its script. */
export async function requireK6({ load }: Pick<ResolvedScenario, 'load'>): Promise<void> {
  if (load.workload.kind !== 'k6') return;
  await k6Version();
  await inspectScript(load.workload);
}
