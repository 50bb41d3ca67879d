import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom, by folder of src/. A folder may always import from itself. */
const measuring = ['base', 'journal'];
const floors: Record<string, readonly string[]> = {
  base: [],
  journal: ['base'],
  // The measuring half: these know the record format and nothing of each other.
  // Where a setting can be set decides what a scenario may say and how many servers a plan has: that table is treatment's.
  scenario: [...measuring, 'treatment'],
  plan: [...measuring, 'treatment'],
  stack: measuring,
  treatment: measuring,
  target: measuring,
  // A bulk load posts a data set, which it reads itself, and needs the service's model to know what refers to what.
  load: [...measuring, 'dataset', 'service'],
  probe: measuring,
  // The data set is loaded as the service would store it, so it asks the service's own model.
  dataset: [...measuring, 'service'],
  run: [...measuring, 'scenario', 'plan', 'stack', 'treatment', 'target', 'load', 'probe', 'dataset'],
  progress: [...measuring, 'run'],
  // The judging half: it reads records.
  stats: measuring,
  analysis: [...measuring, 'stats'],
  // What other tools measured, judged by the same rules.
  'external-results': [...measuring, 'stats', 'analysis'],
  report: [...measuring, 'stats', 'analysis', 'external-results'],
  service: ['base'],
  cli: [
    ...measuring,
    'scenario',
    'plan',
    'treatment',
    'run',
    'progress',
    'stats',
    'analysis',
    'external-results',
    'report',
  ],
};

interface Import {
  readonly place: string;
  readonly from: string;
  readonly to: string;
}

/** Every relative import of a file, as folders of src/. */
function importsOf(file: string, text: string): Import[] {
  const from = file.split('/')[1] ?? '';
  return text.split('\n').flatMap((line, index) => {
    const specifier = /(?:\bfrom|\bimport|new URL\()\s*\(?\s*['"](\.[^'"]+)['"]/.exec(line)?.[1];
    if (specifier === undefined) return [];
    const to = posix.join(posix.dirname(file), specifier);
    return to.startsWith('src/') ? [{ place: `${file}:${index + 1}`, from, to: to.split('/')[1] ?? '' }] : [];
  });
}

function filesIn(folder: string): string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      // Declarations of what others wrote are found by the compiler alone.
      .filter((file) => /\.m?[jt]s$/.test(file) && !file.endsWith('.d.ts'))
  );
}

const files = filesIn('src');

describe('the floors', () => {
  it('are complete: every folder of src stands in the table', () => {
    expect(Object.keys(floors).sort()).toEqual([...new Set(files.map((file) => file.split('/')[1]))].sort());
  });

  it('are not broken by any import', () => {
    const broken = files
      .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
      // A process of its own is started by its file name, which is no import.
      .filter(({ place, to }) => !(place.startsWith('src/target/') && to === 'service'))
      .filter(({ from, to }) => from !== to && !floors[from]?.includes(to))
      .map(({ place, from, to }) => `${place}: ${from} may not import from ${to}`);
    expect(broken).toEqual([]);
  });

  it('would be seen broken, with file and line', () => {
    const text =
      "import a from 'node:fs';\nimport { b } from '../stack/b.ts';\nconst c = await import('../cli/c.ts');\n";
    expect(importsOf('src/report/x.ts', text)).toEqual([
      { place: 'src/report/x.ts:2', from: 'report', to: 'stack' },
      { place: 'src/report/x.ts:3', from: 'report', to: 'cli' },
    ]);
  });
});

describe('the tree', () => {
  it('has no file of over 300 lines', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300);
    expect(long).toEqual([]);
  });

  it('exits the process only from main files', () => {
    const exits = files.filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(exits.filter((file) => !/main\.ts$|reaper\.mjs$/.test(file))).toEqual([]);
  });

  it('has no file that nobody imports', () => {
    const started = [
      'src/cli/bin.mjs',
      'src/cli/main.ts',
      'src/load/generator-main.ts',
      'src/service/main.ts',
      'src/base/reaper.mjs',
    ];
    const imported = new Set(
      files.flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)['"]/g)].map((match) =>
          posix.join(posix.dirname(file), match[1] ?? ''),
        ),
      ),
    );
    const dead = files.filter((file) => !imported.has(file) && !started.includes(file) && !file.endsWith('.d.mts'));
    expect(dead).toEqual([]);
  });

  it('has no exported name that nobody else uses', () => {
    const texts = new Map(
      [...files, ...filesIn('test'), ...filesIn('scripts')].map((file) => [file, readFileSync(file, 'utf8')]),
    );
    const unused = files.flatMap((file) =>
      [...(texts.get(file) ?? '').matchAll(/^export (?:async )?(?:function|const|class|type|interface) (\w+)/gm)]
        .map((match) => match[1] ?? '')
        .filter((name) => ![...texts].some(([other, text]) => other !== file && new RegExp(`\\b${name}\\b`).test(text)))
        // A type that only an exported signature of its own file names is part of that signature.
        .filter((name) => (texts.get(file) ?? '').split(new RegExp(`\\b${name}\\b`)).length <= 2)
        .map((name) => `${file}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});
