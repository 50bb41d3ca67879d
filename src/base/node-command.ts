import { fileURLToPath } from 'node:url';

/** In a clone this file is TypeScript, in the package that `npm run build` makes it is JavaScript, and so are the scripts. */
const isSource = import.meta.url.endsWith('.ts');
const loader = new URL('./typescript.mjs', import.meta.url).href;

/**
 * The command that runs one of our scripts, which the URL of its source names, in its own process. tsx is loaded
 * where the script is TypeScript, and where the process is to load TypeScript of the user's.
 */
export function nodeCommand(source: URL, { loadsTypeScript = false } = {}): [string, ...string[]] {
  const script = fileURLToPath(source);
  return [
    process.execPath,
    ...(isSource || loadsTypeScript ? ['--import', loader] : []),
    isSource ? script : script.replace(/\.ts$/, '.js'),
  ];
}
