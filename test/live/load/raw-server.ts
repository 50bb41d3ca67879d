import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server below HTTP libraries that fails in every way there is, and counts what it did. It is a process of its own. */
export interface Truth {
  /** Requests that were read, and how many of them had a number that had come before. */
  got: number;
  again: number;
  /** Answers that were sent whole, by status. */
  readonly statuses: Record<string, number>;
  /** Requests that were read and never answered whole, by how. */
  readonly dropped: Record<string, number>;
  /** Requests that were read and left alone. */
  hung: number;
  /** Answers that said that the connection closes. */
  closing: number;
  /** Connections that were closed after a whole answer, which did not say so. */
  silent: number;
  /** Connections that were accepted, and that were closed while they were idle. */
  accepted: number;
  idleClosed: number;
}

/** A mode begins: on a port of its own, with nothing counted. */
export type Command = 'close idle' | 'calm' | 'report' | `begin ${string}`;

// It keeps idle connections: a client that renews them in time would be in no count of its own.
const OK = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: 2\r\n\r\nok';
const CHUNKED = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nTransfer-Encoding: chunked\r\n\r\n';

const nothing = (): Truth => ({
  got: 0,
  again: 0,
  statuses: {},
  dropped: {},
  hung: 0,
  closing: 0,
  silent: 0,
  accepted: 0,
  idleClosed: 0,
});

let truth = nothing();
/** What is idle has been answered since it was last asked. */
const idle = new Set<Socket>();
const seen = new Set<number>();
let calm = false;
let silentOnes = false;
/** Answers take 5 ms, and the connection of every this many requests is closed instead; 0: HTTP/1.0 says and closes it of all. */
let dropEvery: number | null = null;

function answered(socket: Socket, status: number): void {
  truth.statuses[status] = (truth.statuses[status] ?? 0) + 1;
  if (socket.writable) idle.add(socket);
}

function dropped(how: string): void {
  truth.dropped[how] = (truth.dropped[how] ?? 0) + 1;
}

type Behave = (socket: Socket) => void;

/** `resetAndDestroy` ends the connection in order first, which completes an answer without a length. */
const reset: Behave = (socket) => {
  Object.assign(socket, { resetAndClosing: true }).destroy();
};

const wholly: Behave = (socket) => {
  socket.write(OK);
  answered(socket, 200);
};

function closing(answer: string): Behave {
  return (socket) => {
    socket.end(answer);
    truth.closing++;
    answered(socket, 200);
  };
}

function dropping(how: string, drop: Behave): Behave {
  return (socket) => {
    drop(socket);
    dropped(how);
  };
}

/** How some of the requests are treated, one in a thousand each unless it says otherwise; the rest is answered wholly. */
const behaviours: readonly Behave[] = [
  dropping('closed', (socket) => socket.destroy()),
  dropping('half-closed', (socket) => socket.end()),
  dropping('reset', reset),
  dropping('half an answer', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')),
  dropping('half a header', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')),
  dropping('half a chunk', (socket) => socket.end(`${CHUNKED}a\r\nhalf`)),
  dropping('no last chunk', (socket) => socket.end(`${CHUNKED}2\r\nok\r\n`)),
  dropping('reset while answering', (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\nwithout a length');
    setTimeout(() => reset(socket), 2);
  }),
  dropping('two answers to one request', (socket) => socket.write(OK + OK)),
  dropping('not HTTP', (socket) => socket.write('220 mail.example.org ESMTP\r\n')),
  closing('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'),
  closing('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end'),
  closing('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  closing('HTTP/1.0 200 OK\r\n\r\nuntil the end'),
  (socket) => {
    socket.write('HTTP/1.1 500 Oh no\r\nKeep-Alive: timeout=600\r\nContent-Length: 4\r\n\r\noops');
    answered(socket, 500);
  },
  (socket) => {
    socket.write('HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=600\r\n\r\n');
    answered(socket, 204);
  },
  (socket) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    setTimeout(() => wholly(socket), 1);
  },
  (socket) => {
    socket.write(`${CHUNKED}2;x=y\r\nok\r\n`);
    setTimeout(() => {
      socket.write('0\r\nTrailer: x\r\n\r\n');
      answered(socket, 200);
    }, 1);
  },
  (socket) => {
    const pieces = OK.match(/.{1,7}/gs) ?? [];
    const write = (): void => {
      socket.write(pieces.shift() ?? '');
      if (pieces.length > 0) setImmediate(write);
      else answered(socket, 200);
    };
    write();
  },
];

function behaviourOf(number: number): Behave {
  if (calm) return wholly;
  if (dropEvery !== null) {
    const behave =
      dropEvery === 0 ? closing('HTTP/1.0 200 OK\r\n\r\nok') : number % dropEvery === 0 ? behaviours[0] : wholly;
    return (socket) => void setTimeout(() => behave?.(socket), 5);
  }
  if (number % 25_000 === 5000) {
    return () => {
      truth.hung++;
    };
  }
  if (silentOnes && number % 50 === 49) {
    return (socket) => {
      socket.end(OK, () => socket.destroy());
      truth.silent++;
      answered(socket, 200);
    };
  }
  return behaviours[number % 1000] ?? wholly;
}

function onRequest(socket: Socket, head: string): void {
  if (!socket.writable) return;
  const [method = '', path = ''] = head.split(' ');
  const number = Number(path.slice(1));
  idle.delete(socket);
  truth.got++;
  if (seen.has(number)) truth.again++;
  seen.add(number);
  if (method !== 'HEAD') {
    behaviourOf(number)(socket);
  } else {
    socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=600\r\nContent-Length: 5000\r\n\r\n');
    answered(socket, 200);
  }
}

/** Ways to close a connection that nobody uses, in turn. */
const closings: readonly Behave[] = [
  (socket) => socket.destroy(),
  reset,
  (socket) => socket.end(),
  (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
];

function closeIdle(): void {
  for (const socket of idle) {
    closings[truth.idleClosed++ % closings.length]?.(socket);
    idle.delete(socket);
  }
}

const listener = () =>
  createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    truth.accepted++;
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => idle.delete(socket));
    socket.on('end', () => socket.destroy());
    socket.on('data', (data) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        const bodyBytes = Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? 0);
        if (text.length < end + 4 + bodyBytes) return;
        text = text.slice(end + 4 + bodyBytes);
        onRequest(socket, head);
      }
    });
  });

let server = listener();

/** The connections of the mode before are closed by then. */
function begin(mode: string): void {
  const [name, parameter] = mode.split(' ');
  server.close();
  truth = nothing();
  idle.clear();
  seen.clear();
  calm = false;
  silentOnes = name === 'silent';
  dropEvery = name === 'every' ? Number(parameter) : null;
  server = listener().listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.on('message', (command: Command) => {
  if (command.startsWith('begin ')) return begin(command.slice('begin '.length));
  if (command === 'close idle') closeIdle();
  if (command === 'calm') calm = true;
  process.send?.(truth);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
