import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient, QueryResult } from 'pg';
import type { ServiceContext } from '../context.ts';
import { databaseUnavailable, ServiceError } from '../errors.ts';
import { acquire } from '../pool.ts';
import { type ConflictReason, conflictReason } from './conflict.ts';
import { corkUntilNextTick, type Send, sendAll } from './send-all.ts';

/** The statements of a write, between BEGIN and COMMIT. It may run several times, each time in a new transaction. */
export type Write<Input, Output> = (
  client: PoolClient,
  service: ServiceContext,
  input: Input,
) => Promise<Written<Output>>;

export interface Written<Output> {
  readonly output: Output;
  /** The last statements, whose answers nothing depends on: COMMIT goes out right behind them, and undoes all if one fails. */
  readonly last?: readonly Send[];
}

const backoffFirstMs = 2;
const backoffMaxMs = 64;

/** Runs a write in one transaction on one client, again after a conflict. It resolves only once COMMIT has succeeded. */
export async function runWrite<Input, Output>(
  service: ServiceContext,
  write: Write<Input, Output>,
  input: Input,
): Promise<Output> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await runOnce(service, write, input);
    } catch (error) {
      const reason = conflictReason(error);
      if (reason === null) throw error;
      service.metrics.countConflict(reason);
      if (attempt >= service.config.lockRetries) throw stillInConflict(reason, attempt, error);
    }
    service.metrics.countRetry();
    await sleep(backoffMs(attempt));
  }
}

async function runOnce<Input, Output>(
  service: ServiceContext,
  write: Write<Input, Output>,
  input: Input,
): Promise<Output> {
  const client = await acquire(service);
  let broken: Error | undefined;
  try {
    await begin(client, service);
    const { output, last = [] } = await write(client, service, input);
    const answers = await sendAll(client, service, [...last, () => client.query('COMMIT')]);
    const { command } = answers.at(-1) as QueryResult;
    // COMMIT of a transaction that has failed is no error: it rolls back and says so.
    if (command !== 'COMMIT') throw new Error(`COMMIT was answered with ${command}`);
    return output;
  } catch (error) {
    broken = await rollBack(client);
    // A COMMIT whose answer is lost may have happened; the client of the service must not take it for either.
    if (broken) throw databaseUnavailable(error);
    throw error;
  } finally {
    // Between attempts the client goes back: a request that waits for it gets on, and the backoff costs nothing.
    client.release(broken);
  }
}

/** Resolves when BEGIN is answered, or, where statements are pipelined, as soon as it waits to go out with what follows. */
async function begin(client: PoolClient, { config, statements }: ServiceContext): Promise<void> {
  if (config.statements === 'pipelined') corkUntilNextTick(client);
  const begun = client.query(statements.begin);
  if (config.statements === 'awaited') await begun;
  // Where BEGIN fails, so does all that was sent behind it, and that is what is thrown.
  else begun.catch(() => {});
}

/** Undefined, or the error for which the connection has to be thrown away. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Two writers that met wait for different times, or they would meet again. */
function backoffMs(attempt: number): number {
  return Math.min(backoffMaxMs, backoffFirstMs * 2 ** attempt) * (0.5 + Math.random());
}

function stillInConflict(reason: ConflictReason, retries: number, cause: unknown): ServiceError {
  const tried = retries === 0 ? '' : `, also after ${retries} ${retries === 1 ? 'retry' : 'retries'}`;
  const message = `Another request is changing this document, or one that it refers to${tried}; try again later`;
  return new ServiceError(409, 'write_conflict', message, { reason, retries }, cause);
}
