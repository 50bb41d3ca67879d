import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heldBy, openedBy } from '../../../../src/measure/probe/sockets/socket-holders.ts';
import { parsePostgresPaths, parseSockets } from '../../../../src/measure/probe/sockets/socket-list.ts';
import { addressTest } from '../../../../src/measure/run/reach/reached.ts';
import { speaksPostgres } from '../../../../src/measure/run/reach/speaks-postgres.ts';

describe('connections to a Postgres', () => {
  it('are those that a tree of processes has opened to others', () => {
    const row = (state: string, local: string, peer: string, inode: number) =>
      `${state} 0 0 ${local} ${peer} ino:${inode} sk:1 cgroup:/ <->\n`;
    const sockets = parseSockets(
      row('LISTEN', '*:3000', '0.0.0.0:*', 1) +
        row('ESTAB', '127.0.0.1:3000', '127.0.0.1:50000', 2) +
        row('ESTAB', '127.0.0.1:50001', '127.0.0.1:3000', 3) +
        row('ESTAB', '127.0.0.1:50002', '127.0.0.1:5433', 4) +
        row('ESTAB', '127.0.0.1:50003', '127.0.0.1:5433', 5),
    );
    const held = heldBy(sockets, new Map([1, 2, 3, 4].map((inode) => [inode, [9 + inode]])));
    expect(openedBy(held).map(({ pids, peer }) => [pids, peer.port])).toEqual([[[13], 5433]]);
  });

  it('may go by a Unix socket, of which ss names the server at the other end', () => {
    // As iproute2 6.1.0 prints them on Debian 12.
    const printed = `u_str ESTAB 0      0      * 85109 * 85110 <->
u_str ESTAB 0      0      /var/run/postgresql/.s.PGSQL.5432 85110 * 85109 <->
u_str ESTAB 0      0      * 7 * 8 <->
u_str ESTAB 0      0      /run/other.sock 8 * 7 <->
tcp   ESTAB 0      0      127.0.0.1:3000 127.0.0.1:37876 ino:9 sk:1 cgroup:/ <->
	 cubic bytes_sent:5
`;
    expect(parsePostgresPaths(printed)).toEqual([{ path: '/var/run/postgresql/.s.PGSQL.5432', inode: 85_109 }]);
    expect(parseSockets(printed)).toMatchObject([{ inode: 9, local: { port: 3000 }, sentBytes: 5 }]);
  });

  it('are told by what the server answers', async () => {
    const serverThat = async (answers: string) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(answers));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    };
    expect(await speaksPostgres(await serverThat('N'))).toBe(true);
    expect(await speaksPostgres(await serverThat('S'))).toBe(true);
    expect(await speaksPostgres(await serverThat('-ERR unknown command\r\n'))).toBe(false);
    expect(await speaksPostgres({ host: '127.0.0.1', port: 1 })).toBe(false);
  });

  it('lead to no address where the given database has a socket', async () => {
    for (const url of ['postgres://me:pw@%2Ftmp:5433/copy', 'postgres:///copy']) {
      const isGiven = await addressTest(url);
      expect(isGiven({ host: '127.0.0.1', port: 5433 })).toBe(false);
    }
  });

  it('lead to the given database by any address of this machine', async () => {
    const isGiven = await addressTest('postgres://me@localhost:5433/copy');
    const at = (host: string, port: number) => isGiven({ host, port });
    expect([at('127.0.0.1', 5433), at('::1', 5433), at('127.0.0.1', 5432), at('192.0.2.1', 5433)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect((await addressTest('postgres://me@192.0.2.1/copy'))({ host: '192.0.2.1', port: 5432 })).toBe(true);
  });
});
