import { nodeCommand } from '../../base/node-command.ts';
import { sampleService } from '../../journal/sample.ts';
import type { CommandTarget, ServicesTarget, ServiceTarget, Variant } from '../../journal/scenario-record.ts';
import type { Start } from './start-process.ts';

/** How a variant's service is started. */
export function startOf(target: CommandTarget | ServiceTarget, { command, cwd, env }: Variant): Start {
  if (target.kind === 'command') {
    return {
      ...target,
      command: command ?? target.command,
      cwd: cwd ?? target.cwd,
      env: { ...target.env, ...env },
    };
  }
  const { program, ready, readyTimeoutMs, stopTimeoutMs, portVariable, databaseUrlVariable } = sampleService;
  return {
    command: nodeCommand(program),
    cwd: undefined,
    env: { ...target.env, ...env },
    ...{ ready, readyTimeoutMs, stopTimeoutMs, portVariable, databaseUrlVariable },
  };
}

/** How one of several services is started. Throws RangeError where none has that name. */
export function startOfNamed(name: string, target: ServicesTarget, variant: Variant): Start {
  const spec = target.services[name];
  if (spec === undefined) throw new RangeError(`no service is called ${name}`);
  const { env, ...change } = variant.services?.[name] ?? {};
  return { ...spec, ...change, env: { ...target.env, ...spec.env, ...variant.env, ...env } };
}
