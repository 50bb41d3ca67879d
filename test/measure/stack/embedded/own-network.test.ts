import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import { openLink } from '../../../../src/measure/link/open-link.ts';
import { listSockets } from '../../../../src/measure/probe/sockets/socket-list.ts';
import type { StartedPostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { query, withConnection } from '../../../../src/measure/stack/common/query.ts';
import { prepareEmbeddedPostgres } from '../../../../src/measure/stack/embedded/postgres.ts';
import { needs } from '../../../support/needs.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';

const namespaces = await needs('namespaces');

let reaper: Reaper;
beforeAll(() => {
  reaper = startReaper();
});
afterAll(() => reaper.close());

/** Where the bench itself is, on its way to a server. */
async function wayTo(server: StartedPostgres, url = server.adminUrl()): Promise<{ here: string; there: string }> {
  const [row] = await query(url, 'SELECT host(inet_client_addr()) AS here, host(inet_server_addr()) AS there');
  return row as { here: string; there: string };
}

const addresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address }) => address);

const openArm = (server: StartedPostgres) =>
  openLink({
    variant: { name: 'near', factors: {}, env: {} },
    databaseUrl: server.adminUrl(),
    networkPid: server.networkPid,
    reaper,
    signal: new AbortController().signal,
  });

describe('a server in a network namespace of its own', namespaces.orSkip, () => {
  it('is reached by pairs alone, and takes them along when it ends', async () => {
    const server = await startEmbeddedPostgres({ reaper, ownNetwork: true });
    const own = await wayTo(server);
    expect(own.there).toMatch(/^198\.1[89]\./);
    expect(new URL(server.adminUrl()).hostname).toBe(own.there);
    expect(server.networkPid).toBe(server.pid);
    const socket = connect(server.port, '127.0.0.1');
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');

    const arms = await Promise.all([openArm(server), openArm(server), openArm(server)]);
    const ways = await Promise.all(arms.map(({ url }) => wayTo(server, url)));
    expect(new Set([own, ...ways].map(({ there }) => there)).size).toBe(4);
    const ends = [own, ...ways].map(({ here }) => here);
    expect(addresses()).toEqual(expect.arrayContaining(ends));
    // Without a distance nothing is measured, and no process stands between.
    expect([await arms[0]?.verify(), arms[0]?.pids]).toEqual([{}, []]);
    await arms[0]?.close();
    expect(addresses()).not.toContain(ends[1]);
    expect(await wayTo(server, arms[1]?.url)).toEqual(ways[1]);

    await server.stop();
    await expect.poll(() => addresses().filter((address) => ends.includes(address))).toEqual([]);
    // A link that outlives its server has nothing left to close.
    await arms[1]?.close();
  });

  it('is seen with the bytes that went to it, as one on loopback is', async () => {
    const server = await startEmbeddedPostgres({ reaper, ownNetwork: true });
    const arm = await openArm(server);
    await withConnection(arm.url, async (run) => {
      await run(`SELECT repeat('x', 100000)`);
      const host = new URL(arm.url).hostname;
      const found = (await listSockets()).filter(({ peer }) => peer.host === host);
      expect(found).toMatchObject([{ peer: { port: server.port }, pids: [process.pid] }]);
      expect(found[0]?.receivedBytes).toBeGreaterThan(100_000);
    });
    await server.stop();
  });

  it('starts again and again from the same data, each time with a way of its own, also two at once', async () => {
    const prepared = await prepareEmbeddedPostgres({ reaper, ownNetwork: true });
    const copy = await prepared.copy();
    for (let start = 0; start < 2; start++) {
      const servers = await Promise.all([prepared.start(), copy.start()]);
      const [one, other] = await Promise.all(servers.map((server) => wayTo(server)));
      expect(one?.there).not.toBe(other?.there);
      await Promise.all(servers.map((server) => server.stop()));
    }
    await prepared.remove();
  });

  it('that does not start says why, as any other', async () => {
    const starting = startEmbeddedPostgres({ reaper, ownNetwork: true, settings: { work_mem: 'nonsense' } });
    await expect(starting).rejects.toMatchObject({ code: 'scenario', setting: 'work_mem' });
  });

  it('leaves no interface when it is killed, nor when the bench is', async () => {
    const server = await startEmbeddedPostgres({ reaper, ownNetwork: true });
    const { here } = await wayTo(server);
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    await expect.poll(addresses, { timeout: 10_000 }).not.toContain(here);

    const before = new Set(addresses());
    const script = fileURLToPath(new URL('./killed-bench.ts', import.meta.url));
    const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script, 'own-network'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(bench.stdout, 'data');
    const its = addresses().filter((address) => !before.has(address) && /^198\.1[89]\./.test(address));
    expect(its.length).toBeGreaterThan(0);
    bench.kill('SIGKILL');
    await expect.poll(() => addresses().filter((address) => its.includes(address)), { timeout: 20_000 }).toEqual([]);
  });
});
