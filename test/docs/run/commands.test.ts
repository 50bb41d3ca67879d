import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../cli/cli.ts';
import { needs } from '../../support/needs.ts';
import { type DocumentedCommand, documentedSessions } from '../commands.ts';

/**
 * Runs every command of README and docs, block by block, each block in a folder that looks like the repository. With
 * PGSWEEP_DOCS_MINUTES what does not fit into this much time is skipped.
 */
const minutes = Number(process.env.PGSWEEP_DOCS_MINUTES ?? 60);
const end = Date.now() + minutes * 60_000;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  // Clones with all that npm installs: a busy disk takes a while.
}, 300_000);

describe.each(documentedSessions())('$place', ({ commands }) => {
  const folder = repositoryOfItsOwn();

  it.for(commands)('$line', async (command, context) => {
    const { run, leftOut } = command;
    if (run === null) return context.skip(leftOut ?? '');
    if (Date.now() > end) return context.skip(`no time left of ${minutes} minutes (PGSWEEP_DOCS_MINUTES)`);
    const mariaDb = run.includes('with-mariadb') ? await needs('mariadb') : null;
    if (mariaDb?.isHere === false) return context.skip(mariaDb.orSkip.meta?.lacking.why ?? '');
    const { code, out } = await bash(run, folder, mariaDb?.has ?? {});
    expect(code, out).toBe(expectedCode(command, out, folder));
    // As its output says: the scenario is the user's to fill in.
    if (run === 'npm run init') useExampleService(folder);
  });
});

/** Of a command that judges what it has measured or found, the one that agrees with what it says. */
function expectedCode({ run }: DocumentedCommand, out: string, folder: string): number {
  // What is only printed is no run.
  if (run?.includes(' sweep --') === true && !run.includes('--print')) return exitCodeOf(newestRun(folder));
  return /^Not fit: |"state": "problem"/m.test(out) ? 3 : 0;
}

function newestRun(folder: string): string {
  const runs = readdirSync(join(folder, 'results')).filter((name) => !name.startsWith('bulk-load'));
  // Their names end with the time.
  const [newest = ''] = runs.sort((a, b) => (a.slice(-19) < b.slice(-19) ? 1 : -1));
  return join(folder, 'results', newest);
}

/** Files of the repository where they are only read, and copies where a command writes. */
function repositoryOfItsOwn(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-docs-'));
  folders.push(folder);
  for (const name of ['src', 'node_modules', 'scenarios', 'scripts', 'docker', 'package.json', 'test']) {
    symlinkSync(resolve(name), join(folder, name));
  }
  cpSync('docs', join(folder, 'docs'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  const command = join(folder, 'bin', 'pgsweep');
  writeFileSync(command, `#!/bin/sh\nexec node ${JSON.stringify(resolve('src/cli/bin.mjs'))} "$@"\n`);
  chmodSync(command, 0o755);
  return folder;
}

function useExampleService(folder: string): void {
  cpSync('docs/examples/items', folder, { recursive: true });
}

async function bash(
  command: string,
  cwd: string,
  more: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly out: string }> {
  const PATH = [join(cwd, 'bin'), process.env.PATH].join(delimiter);
  const child = spawn('bash', ['-c', `${command} 2>&1`], {
    cwd,
    env: { ...process.env, ...more, PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const out = await text(child.stdout);
  return { code: await ended, out };
}
