import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** That of our own files here: `.ts` in a clone, `.js` in the package that `npm run build` makes. */
const extension = extname(import.meta.filename);

/**
 * The command that runs one of our scripts, which the URL of its source names, in a process of its own. tsx is loaded
 * where the script is TypeScript, and where the process is to load TypeScript of the user's.
 */
export function nodeCommand(source: URL, { loadsTypeScript = false } = {}): [string, ...string[]] {
  const script = fileURLToPath(source).replace(/\.ts$/, extension);
  const loader = loadsTypeScript || extension === '.ts' ? ['--import', import.meta.resolve('./typescript.mjs')] : [];
  return [process.execPath, ...loader, script];
}
