import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load-scenario.ts';

const files = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'));

describe('the scenarios of this repository', () => {
  it.each(files)('%s resolves', (name) => {
    const { variants, control, title, slots = 0 } = loadScenario(join('scenarios', name));
    expect(variants.length + slots).toBeGreaterThan(1);
    expect(variants.map((variant) => variant.name)).toContain(control);
    // Else it would be the file's name.
    expect(title).not.toBe(name.replace('.yaml', ''));
  });

  it('client-library names releases that are installed', () => {
    const { variants } = loadScenario('scenarios/client-library.yaml');
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const { env } of variants) {
      const { CLIENT = '' } = env;
      const { version } = JSON.parse(readFileSync(join('node_modules', CLIENT, 'package.json'), 'utf8'));
      expect(devDependencies[CLIENT]).toBe(`npm:pg@${version}`);
    }
  });
});
