import { isIPv4 } from 'node:net';

/** True if a URL names this machine by its host. A name other than localhost may lead anywhere. */
export function isLoopback(url: string): boolean {
  // URL writes every form of an IPv4 address with four numbers: 127.1, 0x7f000001.
  const { hostname } = new URL(url);
  if (isIPv4(hostname)) return hostname.startsWith('127.');
  return hostname === 'localhost' || hostname === '[::1]' || /^\[::ffff:7f[\da-f]{2}:/.test(hostname);
}
