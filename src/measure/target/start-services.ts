import { PgsweepError } from '../../base/errors.ts';
import type { ServicesTarget } from '../../journal/scenario-record.ts';
import { addressVariables } from '../../journal/service/service-names.ts';
import { asOneTarget, endedOf, type Named, stopInTurn } from './several-processes.ts';
import { startOfNamed } from './start-of.ts';
import { startProcess, withFreePorts } from './start-process.ts';
import type { StartedTarget, TargetOptions, TargetStop } from './target.ts';

/**
 * Starts the services of an arm one after the other, each once the one before is ready; all know the addresses of all.
 * Throws PgsweepError `target` with the last lines of the one that could not be started, and leaves nothing running.
 */
export function startServices(target: ServicesTarget, options: TargetOptions): Promise<StartedTarget> {
  const names = Object.keys(target.services);
  return withFreePorts(names.length, async (ports) => {
    const env = addressVariables(names.map((name, place) => ({ name, port: ports[place] ?? 0 })));
    const running: Named[] = [];
    try {
      for (const [place, name] of names.entries()) {
        const own = {
          name: `the service ${name} of "${options.variant.name}"`,
          port: ports[place] ?? 0,
          logFile: options.logFile.replace(/(\.log)?$/, `-${name}.log`),
          env,
          beside: running.map(([, one]) => one),
        };
        running.push([name, await startProcess(startOfNamed(name, target, options.variant), own, options)]);
      }
      return together(running, target.underLoad);
    } catch (error) {
      await stopAll(running);
      throw error;
    }
  });
}

function together(running: readonly Named[], underLoad: string): StartedTarget {
  const front = running.find(([name]) => name === underLoad)?.[1];
  if (front === undefined) throw new PgsweepError('scenario', `target.underLoad: no service is called ${underLoad}`);
  return asOneTarget(running, front, {
    tail: () => (endedOf(running) ?? front).tail(),
    stop: () => stopAll(running),
  });
}

/** In the reverse order, so that none loses what it needs before it has ended itself. */
function stopAll(running: readonly Named[]): Promise<TargetStop> {
  return stopInTurn([...running].reverse());
}
