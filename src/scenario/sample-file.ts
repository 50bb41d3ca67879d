import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLE = 'scenarios/pool-size.yaml';

/** Path of a scenario that comes with pgsweep. */
export function shippedFile(sample = SAMPLE): string {
  return fileURLToPath(new URL(`../../${sample}`, import.meta.url));
}

/** Path of a sample scenario from here: in a clone the clone's, elsewhere the one that was installed with pgsweep. */
export function sampleFile(sample = SAMPLE): string {
  return existsSync(sample) ? sample : relative(process.cwd(), shippedFile(sample));
}
