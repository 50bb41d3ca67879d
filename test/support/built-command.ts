// In place of src/base/node-command.ts in live tests (vitest.config.ts): the programs that the bench starts are those of a
// build, which start in half the CPU time. From TypeScript the whole quick sweep runs (test/cli/quick-sweep.test.ts).
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { needs } from './needs.ts';

const dist = resolve(dirname((await needs('built')).has), '..');
const sample = resolve('scenarios/services/documents');

/** As the function that it stands for. */
export function nodeCommand(source: URL, { loadsTypeScript = false } = {}): [string, ...string[]] {
  const file = fileURLToPath(source).replace(/\.ts$/, '.js');
  const script = file.startsWith(sample) ? join('documents', relative(sample, file)) : relative(resolve('src'), file);
  const loader = pathToFileURL(join(dist, 'base', 'typescript.mjs')).href;
  return [process.execPath, ...(loadsTypeScript ? ['--import', loader] : []), join(dist, script)];
}
