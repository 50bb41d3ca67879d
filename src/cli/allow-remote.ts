import type { Command } from 'commander';
import { PgsweepError } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import { shortened } from '../base/visible.ts';
import type { ResolvedScenario, Target, Variant } from '../journal/scenario-record.ts';

/** Option that allows load on other machines. */
export interface RemoteOption {
  readonly allowRemote?: boolean;
}

/** The option of every command that puts load on a service which already runs. */
export function withRemoteOption(command: Command): Command {
  return command.option(
    '--allow-remote',
    'send load to a URL on another machine (default: only localhost, 127.0.0.1 and ::1)',
  );
}

/** Throws PgsweepError `usage` where load would leave this machine without --allow-remote. */
export function requireAllowed(target: Target, variants: readonly Variant[], { allowRemote }: RemoteOption): void {
  if (target.kind !== 'url' || allowRemote === true) return;
  const { url: ofTarget } = target;
  for (const { name, url = ofTarget } of variants) {
    if (isLoopback(url)) continue;
    const { host } = new URL(url);
    throw new PgsweepError(
      'usage',
      `the load of "${shortened(name, 60)}" would go to ${host}, which is not this machine`,
      {
        hint: 'That service may belong to others, or be in use. If it may get as much load as it can take: --allow-remote',
      },
    );
  }
}

/** Throws PgsweepError `usage` where a run whose k6 script might send elsewhere is resumed without --allow-remote. */
export function requireAllowedAgain({ load: { workload } }: ResolvedScenario, { allowRemote }: RemoteOption): void {
  if (workload.kind !== 'k6' || workload.remote !== true || allowRemote === true) return;
  throw new PgsweepError(
    'usage',
    'the script of the run was allowed to reach other machines, and its next rounds would not be',
    { hint: 'Rounds of both kinds cannot be compared. If it may still reach them: --allow-remote' },
  );
}

/** The scenario with a k6 script that may send elsewhere where that is allowed, and may not where it is not. */
export function withAllowed(scenario: ResolvedScenario, { allowRemote }: RemoteOption): ResolvedScenario {
  const { workload } = scenario.load;
  if (workload.kind !== 'k6') return scenario;
  const { remote: _, ...local } = workload;
  const allowed = allowRemote === true ? { ...local, remote: true as const } : local;
  return { ...scenario, load: { ...scenario.load, workload: allowed } };
}
