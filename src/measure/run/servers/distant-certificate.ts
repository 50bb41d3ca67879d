import { PgsweepError } from '../../../base/errors.ts';
import { isLoopback } from '../../../base/loopback.ts';
import type { Variant } from '../../../journal/scenario-record.ts';

/**
 * Throws PgsweepError `stack` where the address of a server asks for a check of its certificate's name, and some variant is at
 * a distance: its way leads over 127.0.0.1, which the certificate of another machine does not name. A pooler, which is
 * nearer to the server, goes by the name.
 */
export function refuseNamedCertificate(variants: readonly Variant[], url: string | undefined): void {
  if (url === undefined || !URL.canParse(url) || isLoopback(url)) return;
  const mode = checkingMode(new URL(url).searchParams);
  const distant = variants.find(({ distance, pooler }) => distance !== undefined && pooler === undefined);
  if (mode === null || distant === undefined) return;
  const { hostname } = new URL(url);
  throw new PgsweepError(
    'stack',
    `with ${mode} a certificate has to name 127.0.0.1, where the distance of "${distant.name}" is made, and not ${hostname}`,
    {
      hint: 'Leave the name unchecked: sslmode=require&uselibpqcompat=true, or sslmode=verify-ca&sslrootcert=FILE&uselibpqcompat=true (node-postgres takes both for verify-full without the last). Or leave out rtt, jitter and bandwidth.',
    },
  );
}

/** How the address asks for a check of the name, by the rules of node-postgres, by which the bench connects; null where it does not. */
function checkingMode(parameters: URLSearchParams): string | null {
  const mode = parameters.get('sslmode');
  if (mode === 'verify-full') return `sslmode=${mode}`;
  if (parameters.get('uselibpqcompat') === 'true') return null;
  if (mode !== null) return ['prefer', 'require', 'verify-ca'].includes(mode) ? `sslmode=${mode}` : null;
  const ssl = parameters.get('ssl');
  return ssl === 'true' || ssl === '1' ? `ssl=${ssl}` : null;
}
