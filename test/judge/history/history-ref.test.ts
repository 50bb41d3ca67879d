import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { PgsweepError } from '../../../src/base/errors.ts';
import { addToRef, readRef } from '../../../src/judge/history/history-ref.ts';

const REF = 'refs/pgsweep/history';
const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function add(line: string, meanwhile: () => void = () => {}): void {
  addToRef(REF, line, (text) => {
    meanwhile();
    return `${text}${line}\n`;
  });
}

beforeEach(() => {
  const [path, before] = [mkdtempSync(join(tmpdir(), 'pgsweep-history-')), process.cwd()];
  process.chdir(path);
  git('init', '--quiet');
  onTestFinished(() => {
    process.chdir(before);
    rmSync(path, { recursive: true });
  });
});

describe('a history in a git ref', () => {
  it('loses nothing where somebody else adds between the reading and the writing', () => {
    add('first');
    const others = ['second', 'third'];
    add('last', () => {
      const other = others.shift();
      if (other !== undefined) add(other);
    });
    expect(readRef(REF)).toBe('first\nsecond\nthird\nlast\n');
    expect(git('rev-list', '--count', REF)).toBe('4');
  });

  it('says that others have added where they do so each time', () => {
    let count = 0;
    expect(() => add('mine', () => add(`other ${count++}`))).toThrow(/others have added to refs\/pgsweep\/history/);
    expect(readRef(REF)).toContain(`other ${count - 1}\n`);
    expect(readRef(REF)).not.toContain('mine');
  });

  it('refuses a name outside of refs/, which git would not push, and names the ref', () => {
    const hintOf = (ref: string): unknown => {
      const hints = [() => readRef(ref), () => addToRef(ref, 'first', () => 'first\n')].map((call) => {
        try {
          return call();
        } catch (error) {
          return (error as PgsweepError).hint;
        }
      });
      return new Set(hints);
    };
    expect(hintOf('pgsweep/history')).toEqual(new Set(['Did you mean refs/pgsweep/history?']));
    expect(hintOf('heads/site2')).toEqual(new Set(['Did you mean refs/heads/site2?']));
    expect(hintOf('no ref')).toEqual(new Set(['Did you mean refs/pgsweep/history?']));
    add('first');
    git('update-ref', 'refs/heads/gh-pages', REF);
    expect(hintOf('gh-pages')).toEqual(new Set(['Did you mean refs/heads/gh-pages?']));
  });

  it('is empty only where git knows no such ref, or it holds no history', () => {
    expect(readRef(REF)).toBe('');
    const tree = execFileSync('git', ['mktree'], { encoding: 'utf8', input: '' }).trim();
    git('update-ref', 'refs/heads/site', git(...who, 'commit-tree', tree, '-m', 'Site'));
    expect(readRef('refs/heads/site')).toBe('');
    mkdirSync('.git/refs/broken', { recursive: true });
    writeFileSync('.git/refs/broken/ref', `${'1'.repeat(40)}\n`);
    expect(() => readRef('refs/broken/ref')).toThrow('git ls-tree failed for refs/broken/ref: ');
    process.chdir(tmpdir());
    expect(() => readRef(REF)).toThrow('not a git repository');
  });

  it("has git's own words where it is git that cannot write the ref", () => {
    add('first');
    expect(() => addToRef(`${REF}/more`, 'second', () => 'second\n')).toThrow(
      /git update-ref failed for refs\/pgsweep\/history\/more: .*refs\/pgsweep\/history/,
    );
  });
});
