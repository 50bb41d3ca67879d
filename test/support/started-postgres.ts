import { once } from '../../src/base/async/once.ts';
import type {
  PostgresOptions,
  PostgresStart,
  PreparedPostgres,
  StartedPostgres,
} from '../../src/measure/stack/common/postgres.ts';
import type { DockerEngine } from '../../src/measure/stack/docker/engine.ts';
import { prepareDockerPostgres } from '../../src/measure/stack/docker/postgres.ts';
import { prepareEmbeddedPostgres } from '../../src/measure/stack/embedded/postgres.ts';

export type OnePostgres = PostgresOptions & PostgresStart;

/** A server of programs of this machine, whose data goes with its end. Its postmaster is a process of this machine. */
export async function startEmbeddedPostgres(options: OnePostgres): Promise<StartedPostgres & { readonly pid: number }> {
  const started = await startedOnce(await prepareEmbeddedPostgres(options), options);
  if (started.pid === null) throw new Error('a postmaster that is not of this machine');
  return { ...started, pid: started.pid };
}

/** A server in a container, whose data goes with its end. */
export async function startDockerPostgres(engine: DockerEngine, options: OnePostgres): Promise<StartedPostgres> {
  return startedOnce(await prepareDockerPostgres(engine, options), options);
}

export async function startedOnce(prepared: PreparedPostgres, start: PostgresStart = {}): Promise<StartedPostgres> {
  try {
    const started = await prepared.start(start);
    const stop = once(() => started.stop().then(() => prepared.remove()));
    return { ...started, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await prepared.remove();
    throw error;
  }
}
