import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isLoopback } from '../../base/loopback.ts';

/** Half-open, so that one that the service has closed can still be written to. */
const options = { allowHalfOpen: true, noDelay: true };

/** Begins to connect to the service at a URL. */
export function openSocket(url: URL): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:') return connectTcp({ host, port: Number(url.port || 80), ...options });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({
    host,
    port: Number(url.port || 443),
    // Nobody stands between this machine and itself; a certificate for it is seldom more than self-signed.
    rejectUnauthorized: !isLoopback(url.href),
    ...servername,
    ...options,
  });
}

/** The event of a socket to that URL once it can be used. */
export function readyEvent({ protocol }: URL): 'connect' | 'secureConnect' {
  return protocol === 'https:' ? 'secureConnect' : 'connect';
}

/**
 * Tells whether the other side's system refuses what is sent, since the connection was reset, or closed before the last
 * request reached it. An empty line is sent, which means nothing to a server.
 */
export function isRefused(socket: Socket, tell: (refused: boolean) => void): void {
  socket.write('\r\n', (error) => tell(error instanceof Error));
}
