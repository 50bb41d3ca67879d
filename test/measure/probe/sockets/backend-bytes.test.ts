import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseProcess } from '../../../../src/base/process/process-table.ts';
import {
  backendBytes,
  backendsOf,
  bytesPerRequest,
  connectionsOf,
} from '../../../../src/measure/probe/sockets/backend-bytes.ts';
import { heldBy } from '../../../../src/measure/probe/sockets/socket-holders.ts';
import { parseSockets, type TcpSocket, whyNoSockets } from '../../../../src/measure/probe/sockets/socket-list.ts';
import { present, testArm, testContext, wholeLoad } from '../probe-context.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** As `ss` of iproute2 6.1.0 printed it on Debian 12, shortened; the third with what 5.10 prints of a repeated segment. */
const printed = `LISTEN    0      511    127.0.0.1:3000   0.0.0.0:*     ino:1 sk:1 cgroup:/ <->
	 bbr cwnd:10
ESTAB     0      0      127.0.0.1:3000 127.0.0.1:37876 ino:2 sk:2 cgroup:/ <->
	 bbr wscale:10,10 rto:204 cwnd:18 bytes_sent:1000 bytes_acked:1000 bytes_received:585 segs_out:17 bbr:(bw:26214390624bps,mrtt:0.004) send 56173714286bps
ESTAB     0      0      127.0.0.1:41000 127.0.0.1:5432 timer:(keepalive,9.8sec,0) uid:101 ino:3 sk:3 <->
	 cubic wscale:7,7 rto:204 bytes_sent:900 bytes_retrans:100 bytes_acked:801 bytes_received:5000 segs_out:5
ESTAB     0      0      [::ffff:127.0.0.1]:41002 [::ffff:127.0.0.1]:3000 ino:4 sk:4 <->
	 cubic bytes_acked:71 bytes_received:30
ESTAB     0      0      [::1]:41004 [2001:db8::7]:9200 ino:5 sk:5 cgroup:/ <->
	 cubic bytes_sent:5 bytes_acked:6
ESTAB     0      0      127.0.0.1%lo:41006 127.0.0.1:6379 ino:6 sk:6 cgroup:/ <->
	 cubic bytes_sent:5 bytes_acked:6
ESTAB     0      0      127.0.0.1:41008 127.0.0.1:6379 ino:7 sk:7 cgroup:/ <->
	 cubic bytes_sent:5 bytes_acked:6
`;

/** The processes that hold them; the last is of another user's. */
const holders = new Map([
  [1, [40]],
  [2, [40]],
  [3, [40]],
  [4, [50, 51]],
  [5, [51]],
  [6, [99]],
]);

const stat = (pid: number, parent: number) =>
  parseProcess(`${pid} (node) S ${parent} ${pid} ${pid} ${'0 '.repeat(40)}`);
const table = [stat(40, 1), stat(50, 1), stat(51, 50), stat(99, 1)];
const processes = [
  { name: 'api', pid: 40 },
  { name: 'proxy', pid: 50 },
];

describe('what ss prints', () => {
  it('is read: addresses of both kinds, the inodes, and payload without what was sent again', () => {
    const local = (port: number, host = '127.0.0.1') => ({ host, port });
    const found = parseSockets(printed);
    expect(found).toHaveLength(7);
    expect(found.slice(0, 5)).toEqual([
      { inode: 1, listens: true, local: local(3000), peer: local(0, '0.0.0.0'), sentBytes: 0, receivedBytes: 0 },
      { inode: 2, listens: false, local: local(3000), peer: local(37_876), sentBytes: 1000, receivedBytes: 585 },
      { inode: 3, listens: false, local: local(41_000), peer: local(5432), sentBytes: 800, receivedBytes: 5000 },
      { inode: 4, listens: false, local: local(41_002), peer: local(3000), sentBytes: 70, receivedBytes: 30 },
      {
        inode: 5,
        listens: false,
        local: local(41_004, '::1'),
        peer: local(9200, '2001:db8::7'),
        sentBytes: 5,
        receivedBytes: 0,
      },
    ] satisfies TcpSocket[]);
    expect(found[5]).toMatchObject({ inode: 6, local: local(41_006) });
    expect(heldBy(found, holders).map(({ inode, pids }) => [inode, pids])).toEqual([...holders]);
    expect(parseSockets('')).toEqual([]);
  });

  it('has a blank line for a socket without TCP_INFO, which hides none after it', () => {
    const orphan =
      'FIN-WAIT-2 0      0      127.0.0.1:33020 127.0.0.1:41627     ino:0 sk:8 cgroup:/ <->\n\t          \n';
    expect(parseSockets(orphan + printed)).toEqual(parseSockets(printed));
  });

  it('becomes connections of the service to its backends, by their names', () => {
    const backends = new Map([[5432, 'postgres']]);
    const sockets = heldBy(parseSockets(printed), holders);
    const found = connectionsOf({ sockets, table }, { pid: 40, processes }, backends);
    expect(found.map(({ from, to, sentBytes }) => [from, to, sentBytes])).toEqual([
      ['api', 'postgres', 800],
      ['proxy', 'api', 70],
      ['proxy', '[2001:db8::7]:9200', 5],
    ]);
    const search = (url: string) => [...backendsOf({ opensearch: { url, pid: null } }, { databasePort: 5432 })];
    expect(search('http://127.0.0.1:9200')).toEqual([[9200, 'opensearch'], ...backends]);
    // URL leaves the usual port of a protocol out.
    expect(search('http://search:80')).toEqual([[80, 'opensearch'], ...backends]);
    expect(search('https://search')).toEqual([[443, 'opensearch'], ...backends]);
    const alone = connectionsOf({ sockets, table }, { pid: 40 }, backends);
    expect(alone.map(({ from, to }) => [from, to])).toEqual([['service', 'postgres']]);
  });
});

describe('the bytes of a pass', () => {
  const connection = (key: string, sentBytes: number, receivedBytes = 10 * sentBytes) => ({
    key,
    from: 'api',
    to: 'postgres',
    sentBytes,
    receivedBytes,
  });
  const samples = (...looks: ReturnType<typeof connection>[][]) =>
    looks.map((value, atMs) => ({ atMs, value })) as unknown as Parameters<typeof bytesPerRequest>[0];
  const of = (name: string): string => `${name}{from="api",to="postgres"}`;

  it('are those of connections that were there at its end, a request; the others are counted', () => {
    const [kept, fresh, gone, brief] = ['kept', 'fresh', 'gone', 'brief'];
    const all = samples(
      [connection(kept, 100), connection(gone, 5000)],
      [connection(kept, 200), connection(brief, 70)],
      [connection(kept, 300), connection(fresh, 40)],
    );
    expect(bytesPerRequest(all, { requests: 10 })).toEqual({
      [of('backend_sent_bytes_per_request')]: 24,
      [of('backend_received_bytes_per_request')]: 240,
      [of('backend_connections_closed')]: 2,
    });
    expect(bytesPerRequest(all, {})).toEqual({ [of('backend_connections_closed')]: 2 });
  });

  it('begin with a later connection where it has the ports of one that is gone', () => {
    const all = samples([connection('same', 5000)], [connection('same', 20)]);
    expect(bytesPerRequest(all, { requests: 1 })).toMatchObject({ [of('backend_sent_bytes_per_request')]: 20 });
  });
});

/** Sends this many bytes over each of two connections, which it keeps, and says when it was answered with three times as many. */
const client = `
const sockets = [0, 1].map(() => require('node:net').connect(Number(process.argv[1]), '127.0.0.1'));
let left = 0;
for (const socket of sockets) socket.on('data', ({ length }) => {
  left -= length;
  if (left === 0) process.stdout.write('done');
});
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  left = 6 * Number(line);
  for (const socket of sockets) socket.write(Buffer.alloc(Number(line)));
});`;

describe.skipIf((await whyNoSockets()) !== null)('the bytes between a service and its backend', () => {
  it('are exactly those that the backend counts', async () => {
    let [received, sent] = [0, 0];
    const backend = createServer((socket) => {
      socket.on('data', (data) => {
        received += data.length;
        sent += 3 * data.length;
        socket.write(Buffer.alloc(3 * data.length));
      });
      socket.on('end', () => socket.end());
    }).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const { port } = backend.address() as AddressInfo;
    const service = spawn(process.execPath, ['-e', client, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
    cleanups.push(
      () => backend.close(),
      () => service.kill('SIGKILL'),
    );
    const ask = async (line: string): Promise<void> => {
      service.stdin.write(`${line}\n`);
      await once(service.stdout, 'data');
    };
    await ask('1000');
    const own = testContext();
    cleanups.push(() => own.remove());
    const probe = present(await backendBytes.open(own));
    const before = { received, sent };
    const mark = await probe.begin(testArm({ pid: service.pid ?? null, databasePort: port, underLoad: () => false }));
    await ask('12345');
    await ask('70000');
    const { values = {} } = (await mark.end({ ...wholeLoad(), requests: 5 })) ?? {};
    await probe.close();
    const of = (way: string): number | undefined =>
      values[`backend_${way}_bytes_per_request{from="service",to="postgres"}`];
    expect(of('sent')).toBe((received - before.received) / 5);
    expect(of('received')).toBe((sent - before.sent) / 5);
    expect(received - before.received).toBe(2 * (12_345 + 70_000));
    expect(values['backend_connections_closed{from="service",to="postgres"}']).toBe(0);
    expect(own.samples('backend-bytes')).toHaveLength(1 + 4);
    expect(own.warnings).toEqual([]);
  });
});
