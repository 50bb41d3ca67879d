import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Summary, summarize } from '../../src/analysis/summary.ts';
import { readJournal } from '../../src/journal/journal.ts';
import { createRunFolder } from '../../src/run/run-folder.ts';
import { runSession } from '../../src/run/session.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';

/** What is found in a real session of one round, as `pgsweep sweep` makes it. `yaml` has no title, target and data set. */
export async function swept(yaml: string): Promise<Summary> {
  const fixtures = resolve('test/fixtures/services');
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-diagnosis-'));
  try {
    const scenario = parseScenario(
      `title: mistakes
target: { command: ${JSON.stringify(`exec node ${fixtures}/mistaken.mjs`)} }
dataset: { sql: ${JSON.stringify(`${fixtures}/mistaken.sql`)} }
rounds: { budget: 1s }
${yaml}`,
      'mistakes.yaml',
    );
    const folder = createRunFolder(path);
    await runSession({
      scenario,
      seed: 1,
      quick: false,
      folder,
      intervalMs: 5000,
      resume: null,
      stackChoice: { kind: 'embedded' },
      decideStop: () => ({ stop: true, reason: 'rounds', undecided: 0 }),
      // To its cap: all arms are warmed for as long.
      isWarm: () => false,
      emit: () => {},
      signal: new AbortController().signal,
    });
    return summarize(readJournal(folder.journal));
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** In which variants a finding was made, each once. */
export function found({ findings }: Summary, name: string): string[] {
  const cells = findings.find((finding) => finding.name === name)?.cells ?? [];
  return [...new Set(cells.map(({ variant }) => variant))];
}
