import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { cli } from '../cli.ts';

const [bash, fish, zsh] = [await needs('bash'), await needs('fish'), await needs('zsh')];
const shells = ['bash', 'fish', 'zsh'] as const;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-completion-'));
  mkdirSync(join(folder, 'scenes'));
  for (const shell of shells) {
    const { code, out } = await cli('completion', shell);
    expect(code).toBe(0);
    writeFileSync(join(folder, shell), out);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(program: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  const options = { encoding: 'utf8', cwd: folder, env: { ...process.env, HOME: folder, ...env } } as const;
  return execFileSync(program, args, options);
}

describe('in bash', bash.orSkip, () => {
  /** What the function of the script offers for the last word; a path is left to the shell's own completion. */
  const offered = (...words: string[]): string[] => {
    const script = `source ./bash; COMP_WORDS=(pgsweep "$@"); COMP_CWORD=$#; _pgsweep; echo "\${COMPREPLY[*]}"`;
    return run('bash', ['--norc', '-c', script, 'bash', ...words])
      .split(/\s+/)
      .filter(Boolean);
  };

  it('commands come first, then the options of that command', () => {
    expect(offered('')).toEqual(expect.arrayContaining(['sweep', 'completion', 'bulk-load', '--help']));
    expect(offered('sw')).toEqual(['sweep']);
    expect(offered('sweep', '--qu')).toEqual(['--quick', '--quiet']);
    expect(offered('clean', '--qu')).toEqual([]);
  });

  it('a value is one of its words, a path, or nothing that could be known', () => {
    expect(offered('sweep', '--stack', 'e')).toEqual(['embedded', 'external']);
    expect(offered('completion', '')).toEqual([...shells]);
    expect(offered('sweep', '--rounds', '')).toEqual([]);
    expect(offered('sweep', 'sce')).toEqual([]);
  });
});

describe('in fish', fish.orSkip, () => {
  const offered = (line: string): string[] =>
    run('fish', ['--no-config', '-c', 'source ./fish; complete -C "$argv"', line])
      .split('\n')
      .map((completion) => completion.split('\t')[0] ?? '')
      .filter(Boolean);

  it('commands, options, words and paths are completed', () => {
    expect(offered('pgsweep sw')).toEqual(['sweep']);
    expect(offered('pgsweep sweep --qu').sort()).toEqual(['--quick', '--quiet']);
    expect(offered('pgsweep sweep --stack e').sort()).toEqual(['embedded', 'external']);
    expect(offered('pgsweep completion ').sort()).toEqual([...shells]);
    expect(offered('pgsweep sweep sce')).toEqual(['scenes/']);
    expect(offered('pgsweep sweep --rounds sce')).toEqual([]);
  });
});

describe('in zsh', zsh.orSkip, () => {
  /** What a line becomes in a terminal, where its tabs are typed: it runs a pgsweep that prints its arguments. */
  const typed = (line: string): string => {
    const script = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'PS1= PS2= RPS1=; autoload -U compinit && compinit -u -d ./zcompdump; pgsweep() { print -r -- "<$*>" }'
      zpty -w shell 'source ./zsh; print LOA''DED'
      zpty -r -m shell text '*LOADED*'
      zpty -w -n shell "$TYPED"$'\\n'
      zpty -r -m shell text $'*<[^\\n$]#>*'
      print -r -- "$text"
      zpty -d shell`;
    const text = run('zsh', ['-f', '-o', 'extendedglob', '-c', script], { TYPED: line, TERM: 'dumb' });
    return /<([^\n$]*)>/.exec(text)?.[1] ?? text;
  };

  it('commands, options, words and paths are completed', () => {
    expect(typed('pgsweep swe\t--quic\t')).toBe('sweep --quick');
    expect(typed('pgsweep sweep --stack em\tsce\t')).toBe('sweep --stack embedded scenes');
    expect(typed('pgsweep completion zs\t')).toBe('completion zsh');
  });
});

it('an unknown shell is answered by those that are known', async () => {
  const { code, err } = await cli('completion', 'tcsh');
  expect(code).toBe(2);
  expect(err).toContain('Allowed choices are bash, fish, zsh.');
});
