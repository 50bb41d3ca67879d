import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJournal } from '../src/journal/journal.ts';
import { fixtureJournal } from './analysis/journal-fixture.ts';

const run = promisify(execFile);

/** By its heading, what a recipe adds to the tree: whole files, and lines at the end of files that are there. */
interface Recipe {
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly lines: readonly (readonly [path: string, line: string])[];
}

function recipesIn(page: string): Map<string, Recipe> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```\w+\n(?:\/\/|#|--) (in )?(\S+)\n([\s\S]*?)^```$/gm)];
      const parts = blocks.map(([, added, path = '', text = '']) => ({ added, entry: [path, text] as const }));
      const files = parts.flatMap(({ added, entry }) => (added === undefined ? [entry] : []));
      const lines = parts.flatMap(({ added, entry }) => (added === undefined ? [] : [entry]));
      return [section.slice(0, section.indexOf('\n')), { files, lines }];
    }),
  );
}

const recipes = recipesIn(readFileSync('docs/extending.md', 'utf8'));
/** A copy of the tree in which every recipe was followed. */
let tree: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'pgsweep-extended-'));
  for (const part of ['src', 'docker', 'scenarios', 'package.json', 'tsconfig.json']) {
    cpSync(part, join(tree, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  for (const { files, lines } of recipes.values()) {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text, { flag: 'wx' });
    }
    for (const [path, line] of lines) appendFileSync(join(tree, path), line);
  }
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** Runs the extended pgsweep; throws where it fails. */
async function pgsweep(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['src/cli/bin.mjs', ...args], { cwd: tree });
  return stdout;
}

/** A run folder in the tree whose journal has timeouts, and probes. */
function runFolder(name: string): string {
  const folder = join(tree, name);
  mkdirSync(folder);
  const { run: head, records } = fixtureJournal({
    rounds: 4,
    connections: [25],
    probes: () => ({ processes: { service_cpu_cores: 0.5 } }),
    failures: ({ variant }, requests) => (variant === 'pool=50' ? { timeouts: Math.round(requests * 0.1) } : {}),
  });
  const journal = openJournal(join(folder, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  return folder;
}

/** What shows that a recipe works, by its heading. */
const shown: Readonly<Record<string, () => Promise<void>>> = {
  async 'A cross-check'() {
    await pgsweep('report', runFolder('checked'));
    const { findings } = JSON.parse(readFileSync(join(tree, 'checked/summary.json'), 'utf8'));
    const [found] = findings.filter(({ name }: { name: string }) => name === 'timeouts');
    expect(found).toMatchObject({ weight: 70, cells: [{ variant: 'pool=50' }] });
    expect(readFileSync(join(tree, 'checked/report.md'), 'utf8')).toContain(found.text);
  },

  async 'A report format'() {
    const printed = await pgsweep('report', runFolder('formatted'));
    const [title = ''] = printed.split('\n');
    expect(readFileSync(join(tree, 'formatted/report.txt'), 'utf8')).toContain(title);
  },
};

test('docs/extending.md has a recipe of one file and one line for each of these', () => {
  expect([...recipes.keys()]).toEqual(Object.keys(shown));
  for (const [heading, { files, lines }] of recipes) {
    expect([files.length, lines.length], heading).toEqual([1, 1]);
    for (const [path, line] of lines) expect(line.trim().split('\n'), path).toHaveLength(1);
  }
});

test('the tree with all of them compiles', async () => {
  writeFileSync(join(tree, 'tsconfig.src.json'), '{ "extends": "./tsconfig.json", "include": ["src"] }');
  await run(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.src.json'], {
    cwd: tree,
  });
});

test.each(Object.keys(shown))('%s works', async (heading) => {
  await shown[heading]?.();
});
