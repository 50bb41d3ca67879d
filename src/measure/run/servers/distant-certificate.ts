import { PgsweepError } from '../../../base/errors.ts';
import { isLoopback } from '../../../base/loopback.ts';
import type { Variant } from '../../../journal/scenario-record.ts';

/**
 * Throws PgsweepError `stack` if a server's address asks for a check of its certificate's name, and some variant has a
 * distance. The distance leads over 127.0.0.1, which the certificate of another machine does not name. A pooler is nearer
 * to the server, and uses the real name.
 */
export function refuseNamedCertificate(variants: readonly Variant[], url: string | undefined): void {
  if (url === undefined || !URL.canParse(url) || isLoopback(url)) return;
  const mode = checkingMode(new URL(url).searchParams);
  const distant = variants.find(({ distance, pooler }) => distance !== undefined && pooler === undefined);
  if (mode === null || distant === undefined) return;
  const { hostname } = new URL(url);
  throw new PgsweepError(
    'stack',
    `with ${mode} the certificate must name 127.0.0.1, where the distance of "${distant.name}" is made, instead of ${hostname}`,
    {
      hint: 'Turn the check of the name off: sslmode=require&uselibpqcompat=true, or sslmode=verify-ca&sslrootcert=FILE&uselibpqcompat=true (without uselibpqcompat, node-postgres treats both as verify-full). Or leave out rtt, jitter and bandwidth.',
    },
  );
}

/** The parameter that asks for a check of the name, by the rules of node-postgres, which the bench uses; null if none does. */
function checkingMode(parameters: URLSearchParams): string | null {
  const mode = parameters.get('sslmode');
  if (mode === 'verify-full') return `sslmode=${mode}`;
  if (parameters.get('uselibpqcompat') === 'true') return null;
  if (mode !== null) return ['prefer', 'require', 'verify-ca'].includes(mode) ? `sslmode=${mode}` : null;
  const ssl = parameters.get('ssl');
  return ssl === 'true' || ssl === '1' ? `ssl=${ssl}` : null;
}
