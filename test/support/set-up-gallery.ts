import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../src/base/errors.ts';
import { ownCache } from '../../src/base/user-cache.mjs';
import type { Found } from './things.ts';

/** A service of the gallery with its packages from npm, in a folder of its own: installing again takes npm a second. */
export async function setUpGallery(name: string, env: NodeJS.ProcessEnv): Promise<Found<string>> {
  const cache = ownCache(env, 'test-gallery');
  if (cache === null) return { lacks: 'there is no cache to install services of the gallery into' };
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  cpSync(join('scenarios/gallery', name), folder, { recursive: true });
  try {
    const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline'];
    await promisify(execFile)('npm', args, { cwd: folder, env });
    return { has: folder };
  } catch (error) {
    return { lacks: `npm cannot install scenarios/gallery/${name}: ${messageOf(error).split('\n')[0]}` };
  }
}
