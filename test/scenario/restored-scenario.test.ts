import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recordedSecrets } from '../../src/journal/run/secret-leaves.ts';
import { loadScenario } from '../../src/scenario/load-scenario.ts';
import { restoredScenario } from '../../src/scenario/restored-scenario.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';

it('secrets of a resumed run are read from its scenario, whatever the current folder is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'w.yaml'),
    `target: { command: node main.mjs, env: { API_TOKEN: correct-horse } }
variants: { A: {}, B: { env: { X: 1 } } }
control: A
load: { connections: 1, requests: [{ path: / }] }
`,
  );
  const { masked, secrets } = recordedSecrets(loadScenario(join(folder, 'w.yaml')));
  expect(JSON.stringify(masked)).not.toContain('correct-horse');
  const { run } = fixtureJournal({ rounds: 1 });
  // As a shell in that folder names it.
  const recorded = { ...run, ...secrets, scenario: { ...masked, file: 'w.yaml' } };
  expect(() => restoredScenario(recorded)).toThrow('w.yaml cannot be read');
  expect(restoredScenario({ ...recorded, startedIn: folder }).scenario.target).toMatchObject({
    env: { API_TOKEN: 'correct-horse' },
  });
});
