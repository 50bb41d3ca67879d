import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('nothing is held back by overrides, which hold in this project alone and not where pgsweep is installed', () => {
  const { overrides, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(overrides).toBeUndefined();
  // Fastify's own range takes 6.7, whose cookie@2 has left Node 20.
  expect(dependencies['light-my-request']).toBe('~6.6.0');
});

it('every package with an install script is answered for, so that npm ci asks nothing', () => {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { readonly hasInstallScript?: boolean }>;
  };
  const names = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  expect(names.length).toBeGreaterThan(0);
  // None is needed: what it would link or fetch, pgsweep links itself, and npm has fetched.
  expect(allowScripts).toEqual(Object.fromEntries(names.sort().map((name) => [name, false])));
});

it('a version that is published is for everybody, and says which commit and workflow made it', () => {
  const { publishConfig, private: isPrivate } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(publishConfig).toEqual({ access: 'public', provenance: true });
  expect(isPrivate).toBeUndefined();
});
