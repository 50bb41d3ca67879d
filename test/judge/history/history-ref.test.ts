import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addToRef, readRef } from '../../../src/judge/history/history-ref.ts';

const REF = 'refs/pgsweep/history';

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

  it("has git's own words where it is git that cannot write the ref", () => {
    add('first');
    expect(() => addToRef(`${REF}/more`, 'second', () => 'second\n')).toThrow(
      /git update-ref failed for refs\/pgsweep\/history\/more: .*refs\/pgsweep\/history/,
    );
  });
});
