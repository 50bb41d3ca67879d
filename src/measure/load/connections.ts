import { setImmediate as immediate } from 'node:timers/promises';
import type { Connection } from './connection.ts';

/** Load waits for its connections to be opened, at most this long. */
const CONNECT_MS = 1000;

/**
 * Opens connections before the clock starts, so that what the service closed in the meantime costs the load nothing.
 * Resolves when each is connected or cannot be, and after 1 s at the latest.
 */
export async function connectAll(connections: readonly Connection[]): Promise<void> {
  // What the system already knows of closed connections is heard in one whole turn of the event loop.
  await immediate();
  await immediate();
  const opening = connections.map((connection) => connection.ready()).filter((ready) => ready !== null);
  if (opening.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, CONNECT_MS);
  });
  await Promise.race([Promise.all(opening), enough]);
  clearTimeout(timer);
}

/** Gives up requests that take longer, by one timer for all connections. Returns what ends that. */
export function watchTimeouts(connections: readonly Connection[], timeoutMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = (): void => {
    let oldestMs = 0;
    for (const connection of connections) {
      if (connection.waitingMs >= timeoutMs) connection.timeOut();
      oldestMs = Math.max(oldestMs, connection.waitingMs);
    }
    // What was given up may have been the last of the load.
    if (!isOver) wait(timeoutMs - oldestMs);
  };
  /** To when the oldest request is due. */
  const wait = (ms: number): void => {
    timer = setTimeout(look, Math.ceil(ms));
  };
  wait(timeoutMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
