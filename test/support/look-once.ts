import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { messageOf } from '../../src/base/errors.ts';
import { type Found, looks, type Machine, type Thing } from './things.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where workers ask what this machine has. */
    lookOnceUrl: string;
  }
}

/** Vitest loads this file for each of its projects, in one process. */
const ofAllProjects = globalThis as { pgsweepLooks?: ReturnType<typeof startLookingOnce> };

/**
 * Vitest's global setup: test files run in processes of their own, and a look may take minutes (Maven fetches 150 MB).
 * So the workers ask this process, which looks for a thing when it is first asked for, and never again in this run.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  ofAllProjects.pgsweepLooks ??= startLookingOnce(looks, { env: process.env });
  const { url, close } = await ofAllProjects.pgsweepLooks;
  project.provide('lookOnceUrl', url);
  return close;
}

type Looks = Partial<Record<Thing, (machine: Machine) => Promise<Found<unknown>>>>;

/** Answers `GET /<thing>` with what a look found, or with 500 and the error where the look itself failed. */
export async function startLookingOnce(all: Looks, machine: Machine): Promise<{ url: string; close(): void }> {
  const found = new Map<string, Promise<Found<unknown>>>();
  const lookFor = async (thing: string): Promise<Found<unknown>> => {
    const look = all[thing as Thing];
    if (look === undefined) throw new Error(`nobody knows how to look for "${thing}"`);
    return look(machine);
  };
  const server = createServer(async (request, response) => {
    const thing = decodeURIComponent((request.url ?? '').slice(1));
    const looking = found.get(thing) ?? lookFor(thing);
    found.set(thing, looking);
    try {
      response.end(JSON.stringify(await looking));
    } catch (error) {
      response.writeHead(500).end(`looking for ${thing}: ${messageOf(error)}`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
