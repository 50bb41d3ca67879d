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
    // The help of tune leaves them out.
    expect(offered('tune', '--st')).toEqual(['--stack', '--style']);
    expect(offered('tune', '--stack', 'em')).toEqual(['embedded']);
  });

  it('a value is one of its words, a path, or nothing that could be known', () => {
    expect(offered('sweep', '--stack', 'e')).toEqual(['embedded', 'external']);
    expect(offered('completion', '')).toEqual([...shells]);
    expect(offered('sweep', '--rounds', '')).toEqual([]);
    expect(offered('sweep', 'sce')).toEqual([]);
    expect(offered('sweep', '--stack', '=', 'em')).toEqual(['embedded']);
    expect(offered('sweep', '--stack', '=')).toEqual(['auto', 'docker', 'embedded', 'external']);
  });

  it('commands below a command have their own options', () => {
    expect(offered('history', '')).toEqual(expect.arrayContaining(['add', 'show']));
    expect(offered('history', 's')).toEqual(['show']);
    expect(offered('history', 'add', '--com')).toEqual(['--commit']);
    expect(offered('history', 'show', '--com')).toEqual([]);
    expect(offered('history', 'show', '--met')).toEqual(['--metric']);
  });

  it('files stand after --from and --dataset', () => {
    const completed = (...words: string[]): string => {
      const script = `compopt() { :; }; source ./bash; COMP_WORDS=(pgsweep "$@"); COMP_CWORD=$#; compgen() { echo asked >&2; }; _pgsweep 2>&1`;
      return run('bash', ['--norc', '-c', script, 'bash', ...words]).trim();
    };
    // Where words are known, bash is asked for them; a path is left to it.
    expect(completed('sweep', '--rounds', '')).toBe('asked');
    expect(completed('init', '--from', 'sce')).toBe('');
    expect(completed('sweep', '--dataset', 'sce')).toBe('');
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
    expect(offered('pgsweep sweep --stack=em')).toEqual(['--stack=embedded']);
    expect(offered('pgsweep history ').sort()).toEqual(['add', 'show']);
    expect(offered('pgsweep history add --com')).toEqual(['--commit']);
    expect(offered('pgsweep init --from sce')).toEqual(['scenes/']);
    expect(offered('pgsweep sweep --dataset sce')).toEqual(['scenes/']);
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
    expect(typed('pgsweep sweep --stack=em\t')).toBe('sweep --stack=embedded');
    expect(typed('pgsweep history sh\t--met\tx')).toBe('history show --metric=x');
    expect(typed('pgsweep init --from sce\t')).toBe('init --from scenes');
  });
});

it('an unknown shell is answered by those that are known', async () => {
  const { code, err } = await cli('completion', 'tcsh');
  expect(code).toBe(2);
  expect(err).toContain('Allowed choices are bash, fish, zsh.');
});
