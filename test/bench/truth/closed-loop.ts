import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer: when its request was sent and how long it took, in ms; `sentMs` counts from the first counted moment. */
export interface Answer {
  readonly sentMs: number;
  readonly latencyMs: number;
  readonly isOk: boolean;
}

interface ClosedLoop {
  readonly port: number;
  readonly connections: number;
  /** Load that is not counted, first. */
  readonly leadMs: number;
  readonly durationMs: number;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/**
 * A closed loop of nothing but sockets, without turns: every connection sends its next request when its answer is whole. Returns
 * the answers to all requests that were sent in the counted time, however late they come: load goes on until they are there.
 * Rejects where a connection breaks.
 */
export async function runClosedLoop({ port, connections, leadMs, durationMs }: ClosedLoop): Promise<Answer[]> {
  const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1', noDelay: true }));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answers: Answer[] = [];
  const beginMs = performance.now() + leadMs;
  const endMs = beginMs + durationMs;
  try {
    await new Promise<void>((resolve, reject) => {
      let open = connections;
      for (const socket of sockets) {
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('the service closed a connection')));
        let isCounting = true;
        drive(socket, (answer) => {
          const sentMs = answer.sentMs - beginMs;
          if (sentMs >= 0 && sentMs < durationMs) answers.push({ ...answer, sentMs });
          if (!isCounting || performance.now() < endMs) return;
          isCounting = false;
          if (--open === 0) resolve();
        });
      }
    });
    return answers;
  } finally {
    for (const socket of sockets)
      socket
        .removeAllListeners()
        .on('error', () => {})
        .destroy();
  }
}

/** Sends request after request; an answer is whole with its body. */
function drive(socket: Socket, onAnswer: (answer: Answer) => void): void {
  let text = '';
  let sentMs = 0;
  const send = (): void => {
    sentMs = performance.now();
    socket.write(REQUEST);
  };
  socket.on('data', (data) => {
    text += data.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const bodyBytes = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < head + 4 + bodyBytes) return;
    const isOk = text.startsWith('HTTP/1.1 2');
    text = '';
    onAnswer({ sentMs, latencyMs: performance.now() - sentMs, isOk });
    send();
  });
  send();
}
