import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exampleFolder, exampleSummary, thinRun } from './docs/example-run.ts';
import { madeFiles } from './docs/made-files.ts';
import { reportPicture } from './docs/picture.ts';

/**
 * Makes what is made of README.md and docs/: tables of keys, help texts, the example with its picture. With a run folder
 * (`npm run docs -- results/...`) that run becomes the example. Tests fail where a file is out of date. With a folder of the
 * gallery as well (`npm run docs -- results/... scenarios/gallery/orm`) it makes the picture of that service's answer alone.
 */
const [run, service] = process.argv.slice(2);
if (run !== undefined && service === undefined) thinRun(run, exampleFolder);
const files = run === undefined || service === undefined ? await madeFiles() : [galleryPicture(run, service)];
for (const [file, content] of files) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(file);
}

function galleryPicture(run: string, service: string): [file: string, content: string] {
  return [join(service, 'answer.svg'), reportPicture(exampleSummary(run))];
}
