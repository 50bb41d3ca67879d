import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJournal } from '../src/journal/journal.ts';

interface Block {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

/** The code blocks of a page: a language, and a file where the block is one or changes one. */
function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', file = '', text = '']) => ({ language, file, text }),
  );
}

/** Changes a text: a line that begins with a blank is found, one with - is found and left out, one with + is put in. */
function patched(text: string, diff: string): string {
  const lines = text.split('\n');
  let at = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const [sign, rest] = [line[0], line.slice(1)];
    if (sign === '+') {
      // What comes before any line that is found stands right before the next one.
      lines.splice(at, 0, rest);
      at++;
      continue;
    }
    const found = lines.indexOf(rest, at);
    if (found < 0) throw new Error(`no line "${rest}"`);
    if (sign === '-') lines.splice(found, 1);
    at = sign === '-' ? found : found + 1;
  }
  return lines.join('\n');
}

const blocks = blocksOf(readFileSync('docs/extending.md', 'utf8'));
const run = promisify(execFile);

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'pgsweep-extended-'));
  for (const part of ['src', 'docker', 'scenarios', 'package.json', 'tsconfig.json'])
    cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  for (const { language, file, text } of blocks) {
    const path = join(copy, file);
    if (language === 'diff') writeFileSync(path, patched(readFileSync(path, 'utf8'), text));
    else if (file !== '') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
});
afterAll(() => rmSync(copy, { recursive: true }));

it('what the recipes of docs/extending.md add works in a plan and in a sweep', async () => {
  const session = blocks.find(({ language }) => language === 'console')?.text ?? '';
  for (const part of session.split(/^\$ /m).slice(1)) {
    const [command = '', ...expected] = part.trimEnd().split('\n');
    const [, ...args] = command.split(' ');
    const { stdout } = await run(process.execPath, ['src/cli/bin.mjs', ...args], {
      cwd: copy,
      env: { ...process.env, PGSWEEP_STACK: undefined },
    }).catch((error: { code: number; stdout: string; stderr: string }) => {
      // Whether a short session beside other load is fit is not for a test to say.
      if (error.code !== 3) throw error;
      return error;
    });
    for (const line of expected) expect(stdout, command).toContain(line);
  }
  const records = [...readJournal(join(copy, 'toys', 'journal.jsonl')).records];
  expect(records).toContainEqual(
    expect.objectContaining({ type: 'probe', probe: 'load-average', values: { load_average: expect.any(Number) } }),
  );
  expect(records).toContainEqual(
    expect.objectContaining({
      type: 'arm',
      variant: 'Roomy pages',
      treatment: [{ kind: 'fillfactor', name: 'documents', found: 'fillfactor of documents = 70' }],
    }),
  );
});
