import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf } from '../../../base/errors.ts';
import type { ServerUser } from './server-user.ts';

/** A veth pair from this network namespace into another: what one end sends, the other receives. */
export interface Pair {
  /** Name of both ends, each in its namespace. */
  readonly name: string;
  /** A process in the other namespace. */
  readonly pid: number;
  /** Address of the end there. */
  readonly address: string;
}

/** The addresses of all pairs: RFC 2544 sets them aside for benchmarks. */
export const pairAddresses = '198.18.0.0/15';

/** Each pair has a network of four of them; the second and third are those of its ends. */
const [FIRST, PAIRS, PREFIX] = [(198 << 24) | (18 << 16), 2 ** 15, 30];
const TRIES = 50;

type Command = readonly [program: string, ...args: string[]];

/** Runs a command. Rejects with its error output. */
export function runHere([program, ...args]: Command): Promise<unknown> {
  return promisify(execFile)(program, args);
}

/** Runs a command in the network namespace of a process. Rejects with its error output. */
export function runBeside(pid: number, command: Command): Promise<unknown> {
  return runHere(['nsenter', '--target', String(pid), '--net', ...command]);
}

/**
 * Opens a pair into the network namespace of a process. It ends by `closePair`, or with the namespace. Rejects with an Error
 * where the system refuses.
 */
export async function openPair(pid: number): Promise<Pair> {
  const { name, here, there } = await addPair(pid);
  const pair = { name, pid, address: there };
  try {
    for (const command of upCommands(name, there)) await runBeside(pid, command);
    for (const command of upCommands(name, here)) await runHere(command);
    return pair;
  } catch (error) {
    await closePair(pair);
    throw error;
  }
}

/** Removes a pair; one that has gone with its namespace is gone already. */
export async function closePair({ name }: Pick<Pair, 'name'>): Promise<void> {
  await runHere(['ip', 'link', 'delete', name]).catch(() => {});
}

interface Ends {
  readonly name: string;
  readonly here: string;
  readonly there: string;
}

/** Any network that is free: its number is in the name, of which there can be one, also where several benches run. */
async function addPair(pid: number): Promise<Ends> {
  const taken = ownNetworks();
  for (let tries = 1; tries <= TRIES; tries++) {
    const ends = endsOf(randomInt(PAIRS));
    const { name, here, there } = ends;
    if (taken.check(here)) continue;
    try {
      // Hardware addresses that are given are left alone by udev, which otherwise changes them when they are in use already.
      const end = ['name', name, 'address', hardwareAddress(here)];
      const other = ['name', name, 'address', hardwareAddress(there), 'netns', String(pid)];
      await runHere(['ip', 'link', 'add', ...end, 'type', 'veth', 'peer', ...other]);
      return ends;
    } catch (error) {
      if (!messageOf(error).includes('File exists')) throw error;
    }
  }
  throw new Error(`no network is free in ${pairAddresses}`);
}

function upCommands(name: string, address: string): Command[] {
  return [
    ['ip', 'address', 'add', `${address}/${PREFIX}`, 'dev', name],
    ['ip', 'link', 'set', name, 'up'],
  ];
}

/** Those that this machine's interfaces are in: a VPN may use the same addresses. */
function ownNetworks(): BlockList {
  const networks = new BlockList();
  for (const { cidr } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    const [address = '', prefix] = (cidr ?? '').split('/');
    if (isIPv4(address)) networks.addSubnet(address, Number(prefix));
  }
  return networks;
}

function endsOf(number: number): Ends {
  const at = (host: number): string =>
    [24, 16, 8, 0].map((bits) => ((FIRST + 4 * number + host) >>> bits) & 255).join('.');
  return { name: `pgsweep${number}`, here: at(1), there: at(2) };
}

/** A locally administered one. */
function hardwareAddress(address: string): string {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return ['02', '00', ...bytes].join(':');
}

const LIMIT_MS = 10_000;
const POLL_MS = 2;

/**
 * The command that runs a program in its own network namespace, as a user, for root to start. Each step execs the next,
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
    if (performance.now() >= end) throw new Error('it gets no separate network namespace');
    await sleep(POLL_MS);
  }
}

/** Throws the system's error where there is no such process, or it has ended. */
function namespaceOf(pid: number | 'self'): string {
  return readlinkSync(`/proc/${pid}/ns/net`);
}
