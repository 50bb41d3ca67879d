import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scenarioJsonSchema } from '../../src/scenario/schema.ts';

it('scenarios/scenario.schema.json is that of the schema (else: npm run schema)', () => {
  expect(JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8'))).toEqual(scenarioJsonSchema());
});
