import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The sha256 of a file as it lies there; of a folder that of its files' names and contents, in the order of names. */
export async function dumpFingerprint(dump: string): Promise<string> {
  const hash = createHash('sha256');
  if (!statSync(dump).isDirectory()) {
    await addFile(hash, dump);
    return hash.digest('hex');
  }
  for (const name of readdirSync(dump).sort()) {
    hash.update(`${name}\0${statSync(join(dump, name)).size}\0`);
    await addFile(hash, join(dump, name));
  }
  return hash.digest('hex');
}

async function addFile(hash: Hash, file: string): Promise<void> {
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
}
