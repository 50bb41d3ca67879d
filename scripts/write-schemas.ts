import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scenarioJsonSchema } from '../src/scenario/schema.ts';
import { summaryJsonSchema } from './summary-schema.ts';

/** Writes the JSON Schemas of scenarios and of summary.json. Tests fail when they are out of date. */
function write(file: string, schema: object): void {
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), `${JSON.stringify(schema, null, 2)}\n`);
}

write('scenarios/scenario.schema.json', scenarioJsonSchema());
write('docs/summary.schema.json', summaryJsonSchema());
