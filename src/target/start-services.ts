import { PgsweepError } from '../base/errors.ts';
import type { ServiceSpec, ServicesTarget } from '../journal/scenario-record.ts';
import { addressVariables } from '../journal/service/service-names.ts';
import { type RunningProcess, type Start, startProcess, withFreePorts } from './start-process.ts';
import type { StartedTarget, TargetOptions, TargetStop } from './target.ts';

type Named = readonly [name: string, process: RunningProcess];

/**
 * Starts the services of an arm one after the other, each once the one before is ready; all know the addresses of all.
 * Throws PgsweepError `target` with the last lines of the one that could not be started, and leaves nothing running.
 */
export function startServices(target: ServicesTarget, options: TargetOptions): Promise<StartedTarget> {
  const specs = Object.entries(target.services);
  return withFreePorts(specs.length, async (ports) => {
    const env = addressVariables(specs.map(([name], place) => ({ name, port: ports[place] ?? 0 })));
    const running: Named[] = [];
    try {
      for (const [place, [name, spec]] of specs.entries()) {
        const own = {
          name: `the service ${name} of "${options.variant.name}"`,
          port: ports[place] ?? 0,
          logFile: options.logFile.replace(/(\.log)?$/, `-${name}.log`),
          env,
          beside: running.map(([, one]) => one),
        };
        running.push([name, await startProcess(startOf(name, spec, target, options), own, options)]);
      }
      return together(running, target.underLoad);
    } catch (error) {
      await stopAll(running);
      throw error;
    }
  });
}

function startOf(name: string, spec: ServiceSpec, target: ServicesTarget, { variant }: TargetOptions): Start {
  const { env, ...change } = variant.services?.[name] ?? {};
  return { ...spec, ...change, env: { ...target.env, ...spec.env, ...variant.env, ...env } };
}

/** Several processes as one target: it has ended when one of them has. */
function together(running: readonly Named[], underLoad: string): StartedTarget {
  const front = running.find(([name]) => name === underLoad)?.[1];
  if (front === undefined) throw new PgsweepError('scenario', `target.underLoad: no service is called ${underLoad}`);
  return {
    url: front.url,
    pid: front.pid,
    processes: running.map(([name, { pid }]) => ({ name, pid })),
    exited: Promise.race(running.map(async ([name, { exited }]) => `${name}: ${await exited}`)),
    tail: () => (running.find(([, one]) => one.ended() !== null)?.[1] ?? front).tail(),
    stop: () => stopAll(running),
  };
}

/** Ends them in the reverse order, so that none loses what it needs before it has ended itself. All are ended, whatever fails. */
async function stopAll(running: readonly Named[]): Promise<TargetStop> {
  const times: number[] = [];
  const killed: string[] = [];
  const failures: unknown[] = [];
  for (const [name, one] of [...running].reverse()) {
    try {
      const { killedAfterMs } = await one.stop();
      if (killedAfterMs === null) continue;
      times.push(killedAfterMs);
      killed.push(name);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return killed.length === 0 ? { killedAfterMs: null } : { killedAfterMs: Math.max(...times), killed };
}
