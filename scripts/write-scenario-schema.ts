import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scenarioJsonSchema } from '../src/scenario/schema.ts';

/** Writes scenarios/scenario.schema.json from the schema that checks scenarios. A test fails when it is out of date. */
const file = fileURLToPath(new URL('../scenarios/scenario.schema.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`);
