import { nodeCommand } from '../../base/node-command.ts';
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
  return {
    command: nodeCommand(new URL('../../sample/service/main.ts', import.meta.url)),
    cwd: undefined,
    env: { ...target.env, ...env },
    ready: '/health',
    readyTimeoutMs: 30_000,
    stopTimeoutMs: 10_000,
    portVariable: 'PORT',
    databaseUrlVariable: 'DATABASE_URL',
  };
}

/** How one of several services is started. Throws RangeError where none has that name. */
export function startOfNamed(name: string, target: ServicesTarget, variant: Variant): Start {
  const spec = target.services[name];
  if (spec === undefined) throw new RangeError(`no service is called ${name}`);
  const { env, ...change } = variant.services?.[name] ?? {};
  return { ...spec, ...change, env: { ...target.env, ...spec.env, ...variant.env, ...env } };
}
