import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exampleFolder, thinRun } from './docs/example-run.ts';
import { madeFiles } from './docs/made-files.ts';

/**
 * Makes what is made of README.md and docs/: tables of keys, help texts, the example with its picture. With a run folder
 * (`npm run docs -- results/...`) that run becomes the example. Tests fail where a file is out of date.
 */
const [run] = process.argv.slice(2);
if (run !== undefined) thinRun(run, exampleFolder);
for (const [file, content] of await madeFiles()) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(file);
}
