import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load-scenario.ts';

const gallery = 'scenarios/gallery';
const MOST_WORDS = 200;

describe.each(readdirSync(gallery))('%s in the gallery', (name) => {
  const folder = join(gallery, name);

  it('has a scenario with a question, and releases that are pinned', () => {
    const { variants, title } = loadScenario(join(folder, 'pgsweep.yaml'));
    expect(variants.length).toBeGreaterThan(2);
    expect(title).toMatch(/\?$/);
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('has a page of at most 200 words with its command', () => {
    const page = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(page).toContain(`npm run sweep -- scenarios/gallery/${name}/pgsweep.yaml`);
    expect(page.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
  });

  it('has a recorded answer with its picture, what Why said, and a check by hand', () => {
    const { title } = loadScenario(join(folder, 'pgsweep.yaml'));
    const page = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(page).toMatch(/!\[[^\]]+\]\(answer\.svg\)/);
    expect(page).toContain('**Why**');
    expect(page).toContain('autocannon by hand');
    expect(readFileSync(join(folder, 'answer.svg'), 'utf8')).toContain(`aria-label="${title}: `);
  });
});
