import type { Socket } from 'node:net';

/**
 * Tells whether the other side's system refuses what is sent, since the connection was reset, or closed before the last
 * request reached it. An empty line is sent, which means nothing to a server.
 */
export function isRefused(socket: Socket, tell: (refused: boolean) => void): void {
  socket.write('\r\n', (error) => tell(error instanceof Error));
}
