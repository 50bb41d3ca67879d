import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/base/shell-word.ts';

it.each(['results/pool-size-2026', 'a,b=c+d:e.yaml', 'C:/runs/x'])('a plain path stands as it is: %s', (path) =>
  expect(shellWord(path)).toBe(path),
);

it.each(['my run', "it's", 'x.yaml; echo gone', '$(echo gone)', '`echo gone`', 'a"b', '*', '~', 'a\\b\\', ''])(
  'a shell reads any other as one word: %s',
  (path) => expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' })).toBe(path),
);

it.each(['C:\\bench\\my run', 'results\\x'])(
  'a path of Windows has the quotes that its shells and others know: %s',
  (path) => {
    expect(shellWord(path)).toBe(`"${path}"`);
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' })).toBe(path);
  },
);

it('what is not seen is made visible', () => expect(shellWord('a\u001b[2J\nb')).toBe("'a\\u001b[2J\\u000ab'"));
