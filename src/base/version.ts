import { readFileSync } from 'node:fs';

/** Version in pgsweep's own package.json. */
export function pgsweepVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
