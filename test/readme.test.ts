import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cli } from './cli/cli.ts';

const readme = readFileSync('README.md', 'utf8');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const unique = (words: (string | undefined)[]): string[] => [...new Set(words.filter((word) => word !== undefined))];

describe('the README', () => {
  it('names npm scripts that exist', () => {
    const named = unique([...readme.matchAll(/npm run ([a-z:-]*[a-z])/g)].map((match) => match[1]));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('begins with the two commands', () => {
    expect(
      /```sh\n(.*)\n(.*)\n```/
        .exec(readme)
        ?.slice(1, 3)
        .map((line) => line.split(/\s+#/)[0]),
    ).toEqual(['npm ci && npm run sweep', 'npm test']);
  });

  it.each(
    unique(
      [...readme.matchAll(/\bpgsweep (sweep|plan|report|init|[a-z]+-load|compare|delta|doctor)\b/g)].map(
        (match) => match[1],
      ),
    ),
  )('names the command %s, whose help works and has examples', async (command) => {
    const { code, out } = await cli(command, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`pgsweep ${command}`);
    expect(out).toContain('Examples:');
  });

  it('names every option of sweep, and none that does not exist', async () => {
    const { out } = await cli('sweep', '--help');
    const { out: bulkLoad } = await cli('bulk-load', '--help');
    const options = unique([...out.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1]));
    const named = unique([...readme.matchAll(/`(--[a-z-]+)`/g)].map((match) => match[1]));
    const known = [...options, ...[...bulkLoad.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1])];
    expect(named.filter((option) => !known.includes(option))).toEqual([]);
    expect(options.filter((option) => !['--stack', '--help'].includes(option) && !named.includes(option))).toEqual([]);
  });

  it('names folders of src that exist, and all of them', async () => {
    const { readdirSync } = await import('node:fs');
    const named = [...readme.matchAll(/^src\/([\w-]+) /gm)].map((match) => match[1]);
    expect(named.sort()).toEqual(readdirSync('src').sort());
  });

  it('shows a scenario whose keys are valid', async () => {
    const example = /```yaml\n([\s\S]+?)```/.exec(readme)?.[1] ?? '';
    const { scenarioSchema } = await import('../src/scenario/schema.ts');
    expect(scenarioSchema.safeParse(parse(example)).error).toBeUndefined();
  });
});
