import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerUser } from '../server-user.ts';

type Command = readonly [program: string, ...args: string[]];

const LIMIT_MS = 10_000;
const POLL_MS = 2;

/**
 * The command that runs a program in a network namespace of its own, as a user, for root to start. Each step execs the next,
 * so that the process which is started becomes the program. Nothing else holds the namespace: it ends with the program and its
 * children, and so do all pairs into it.
 */
export function inOwnNamespace(command: Command, { uid, gid }: ServerUser): Command {
  // Root alone makes a namespace, so the user is changed last. A Postgres before 15 counts by way of loopback.
  const asUser = ['unshare', '--setgid', String(gid), '--setuid', String(uid), '--', ...command];
  return ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...asUser];
}

/** Resolves when a process that `inOwnNamespace` started is in its namespace: until then it is in this process's. Rejects when it has ended. */
export async function untilInOwnNamespace(pid: number): Promise<void> {
  const own = namespaceOf('self');
  const end = performance.now() + LIMIT_MS;
  while (namespaceOf(pid) === own) {
    if (performance.now() >= end) throw new Error('it gets no network namespace of its own');
    await sleep(POLL_MS);
  }
}

/** Throws the system's error where there is no such process, or it has ended. */
function namespaceOf(pid: number | 'self'): string {
  return readlinkSync(`/proc/${pid}/ns/net`);
}
