import type { PoolClient } from 'pg';
import type { ServiceConfig } from '../config.ts';

/** Sends a statement, and resolves with its answer. */
export type Send<Answer = unknown> = () => Promise<Answer>;

type Answers<Sends extends readonly Send[]> = { [At in keyof Sends]: Awaited<ReturnType<Sends[At]>> };

/**
 * Sends statements that need none of each other's answers, and resolves with those in order: `pipelined` all in one packet,
 * `awaited` each when the one before has been answered. Of several that fail, the first is what is thrown.
 */
export async function sendAll<const Sends extends readonly Send[]>(
  client: PoolClient,
  { config }: { readonly config: Pick<ServiceConfig, 'statements'> },
  sends: Sends,
): Promise<Answers<Sends>> {
  if (config.statements === 'pipelined') {
    corkUntilNextTick(client);
    return (await Promise.all(sends.map((send) => send()))) as Answers<Sends>;
  }
  const answers: unknown[] = [];
  for (const send of sends) answers.push(await send());
  return answers as Answers<Sends>;
}

/**
 * Whatever is sent from here until this turn of the event loop ends goes out as one packet. Most of an upsert's time is
 * system calls: measured, 7 writes and 7 reads of a socket for each document, and as many again in Postgres.
 */
export function corkUntilNextTick(client: PoolClient): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
