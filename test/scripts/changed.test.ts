import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-changed-'));
  git('init', '--quiet');
  for (const name of ['base', 'report']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: folder });
}

/** Commits a change of a file. `hour`: hours after the first day of 2026. */
function commit(file: string, hour: number): void {
  writeFileSync(join(folder, file), `${hour}`);
  git('add', '.');
  const date = `${Date.UTC(2026, 0, 1, hour) / 1000} +0000`;
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '--quiet', '-m', 'x'], {
    cwd: folder,
    env: { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date },
  });
}

const hasChanged = (...paths: string[]): boolean =>
  spawnSync(resolve('.ci/changed'), paths, { cwd: folder }).status === 0;

it('what has changed within a day before the last commit runs whole in the gate, and what has not is sampled', () => {
  commit('base/a', 0);
  commit('report/a', 30);
  commit('report/b', 40);
  expect(hasChanged('base')).toBe(false);
  expect(hasChanged('report')).toBe(true);
  expect(hasChanged('base', 'report/a')).toBe(true);
  writeFileSync(join(folder, 'base/a'), 'not committed');
  expect(hasChanged('base')).toBe(true);
});

it('all of it runs where the history is not there', () => {
  commit('base/a', 0);
  commit('report/a', 10);
  expect(hasChanged('base')).toBe(true);
  rmSync(join(folder, '.git'), { recursive: true });
  expect(hasChanged('base')).toBe(true);
});
