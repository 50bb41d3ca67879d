import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRunFolder, removeUnused } from '../../../src/measure/run/run-folder.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-run-folder-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('the folder of a run of which nothing came', () => {
  it('goes again, and with it what was made to hold it', () => {
    const parent = folder();
    removeUnused(createRunFolder(join(parent, 'results', 'run')).made);
    expect(readdirSync(parent)).toEqual([]);
  });

  it('stays where somebody else has made it, or something lies in it', () => {
    const parent = folder();
    removeUnused(createRunFolder(parent).made);
    expect(readdirSync(parent)).toEqual([]);
    const { made, postgresLog } = createRunFolder(join(parent, 'run'));
    writeFileSync(postgresLog, 'FATAL');
    removeUnused(made);
    expect(existsSync(postgresLog)).toBe(true);
  });
});

describe('a folder that was there before', () => {
  it('holds a run where its journal holds anything, and is used again where a full disk left it empty', () => {
    const parent = folder();
    const { journal, path } = createRunFolder(join(parent, 'run'));
    writeFileSync(journal, '');
    expect(createRunFolder(path).journal).toBe(journal);
    writeFileSync(journal, '{"type":"run"');
    expect(() => createRunFolder(path)).toThrow('already holds a run');
  });
});
