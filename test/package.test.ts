import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('nothing is held back by overrides, which hold in this project alone and not where pgsweep is installed', () => {
  const { overrides, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(overrides).toBeUndefined();
  // Fastify's own range takes 6.7, whose cookie@2 has left Node 20.
  expect(dependencies['light-my-request']).toBe('~6.6.0');
});
