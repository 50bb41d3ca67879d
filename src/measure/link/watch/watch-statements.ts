import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type ClientMessage, readClient, readServer, type ServerError } from './pg-messages.ts';

/** Statements that a service sent to its database, and errors that it got. */
export interface SeenStatements {
  /** Each text once, in the order in which they came. */
  readonly statements: readonly string[];
  /** Those that were prepared under a name. */
  readonly named: readonly { readonly name: string; readonly sql: string }[];
  /** Each once. */
  readonly errors: readonly ServerError[];
}

export interface WatchedDatabase {
  /** For the service. */
  readonly url: string;
  seen(): SeenStatements;
  close(): Promise<void>;
}

/** This many different ones tell enough of a service. */
const MOST = 2000;

/** Stands before a database and reads along, for a try: nothing is measured by it. */
export async function watchStatements(databaseUrl: string): Promise<WatchedDatabase> {
  const { hostname, port } = new URL(databaseUrl);
  const statements = new Set<string>();
  const named = new Map<string, { name: string; sql: string }>();
  const errors = new Map<string, ServerError>();
  const sockets = new Set<Socket>();
  const hear = (message: ClientMessage, server: ReturnType<typeof readServer>): void => {
    if (message.kind === 'encryption') server.answersByte();
    if (message.kind !== 'query' && message.kind !== 'parse') return;
    if (statements.size < MOST) statements.add(message.sql);
    if (message.kind === 'parse' && message.name !== '' && named.size < MOST)
      named.set(message.sql, { name: message.name, sql: message.sql });
  };
  const proxy = createServer((client) => {
    const server = connect({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 5432) });
    const [fromClient, fromServer] = [readClient(), readServer()];
    for (const socket of [client, server]) {
      sockets.add(socket.setNoDelay());
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk: Buffer) => {
      for (const message of fromClient(chunk)) hear(message, fromServer);
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      for (const error of fromServer.read(chunk))
        if (errors.size < MOST) errors.set(`${error.code} ${error.text}`, error);
      client.write(chunk);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('end', () => other.end());
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroySoon());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    seen: () => ({ statements: [...statements], named: [...named.values()], errors: [...errors.values()] }),
    async close() {
      const closed = once(proxy, 'close');
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
