import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom, by folder or file of src/; the longest that fits is the floor. A floor may always import from itself. */
const measuring = ['base', 'journal'];
const facts = ['analysis/notes.ts', 'analysis/format.ts', 'analysis/odd-starts.ts', 'analysis/run-notes.ts'];
const judging = [...measuring, 'stats', ...facts, 'analysis/read', 'analysis/judge', 'analysis/explain'];
const floors: Record<string, readonly string[]> = {
  base: [],
  journal: ['base'],
  // The measuring half: these know the record format and nothing of each other.
  // A scenario may name every kind of treatment and every probe that there is, and the sample service.
  scenario: [...measuring, 'treatment', 'probe', 'sample/model'],
  // What a variant changes decides how many servers there are, and their kind what they cost.
  plan: [...measuring, 'treatment', 'stack'],
  stack: measuring,
  treatment: measuring,
  target: measuring,
  // What stands between a service and its database.
  link: [...measuring, 'stack'],
  // A bulk load posts a data set, which it reads itself, and needs the sample's model to know what refers to what.
  load: [...measuring, 'sample/dataset', 'sample/model', 'sample/workloads'],
  probe: measuring,
  dataset: [...measuring, 'sample/dataset', 'sample/model'],
  run: [
    ...measuring,
    'scenario',
    'plan',
    'stack',
    'treatment',
    'target',
    'link',
    'load',
    'probe',
    'dataset',
    'sample/dataset',
    'sample/model',
  ],
  progress: [...measuring, 'run'],
  // The judging half: it reads records.
  stats: measuring,
  'analysis/notes.ts': [...measuring, 'analysis/odd-starts.ts', 'analysis/run-notes.ts'],
  'analysis/run-notes.ts': measuring,
  'analysis/odd-starts.ts': ['stats'],
  'analysis/format.ts': ['base'],
  'analysis/read': [...measuring, 'stats', ...facts],
  'analysis/judge': [...measuring, 'stats', ...facts, 'analysis/read'],
  'analysis/explain': [...measuring, 'stats', ...facts, 'analysis/read', 'analysis/judge'],
  'analysis/summary.ts': judging,
  // What other tools measured, judged by the same rules.
  'external-results': judging,
  // Summaries of runs, by commit.
  history: [...measuring, 'stats', 'analysis/summary.ts'],
  // Runs against each other: sessions are to be judged as runs of other tools are.
  'between-runs': [...judging, 'external-results'],
  report: [...judging, 'analysis/summary.ts', 'external-results', 'between-runs', 'history'],
  // The service that comes with the bench, and the data that its users would have. Its model is all that they share.
  'sample/model': ['base'],
  'sample/dataset': [...measuring, 'sample/model'],
  'sample/service': ['base', 'sample/model'],
  // Requests for it, made as those of any workload.
  'sample/workloads': [...measuring, 'sample/model', 'load'],
  cli: [
    ...measuring,
    'scenario',
    'plan',
    'stack',
    'treatment',
    'run',
    'progress',
    'external-results',
    'between-runs',
    'history',
    'report',
    'analysis/summary.ts',
    ...judging,
  ],
};

interface Import {
  readonly place: string;
  readonly from: string;
  readonly to: string;
}

function floorOf(file: string): string {
  const path = file.slice('src/'.length);
  const fitting = Object.keys(floors).filter((name) => path === name || path.startsWith(`${name}/`));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? path;
}

/** Every relative import of a file, as floors. */
function importsOf(file: string, text: string): Import[] {
  const from = floorOf(file);
  return text.split('\n').flatMap((line, index) => {
    const specifier = /(?:\bfrom|\bimport|new URL\()\s*\(?\s*['"](\.[^'"]+)['"]/.exec(line)?.[1];
    if (specifier === undefined) return [];
    const to = posix.join(posix.dirname(file), specifier);
    return to.startsWith('src/') ? [{ place: `${file}:${index + 1}`, from, to: floorOf(to) }] : [];
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
    expect(Object.keys(floors).sort()).toEqual([...new Set(files.map(floorOf))].sort());
  });

  it('are not broken by any import', () => {
    const broken = files
      .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
      // A process of its own is started by its file name, which is no import.
      .filter(({ place, to }) => !(place.startsWith('src/target/') && to === 'sample/service'))
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

  it('has no folder of over 22 files', () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 22).map(([folder]) => folder)).toEqual([]);
  });

  it('exits the process only from main files', () => {
    const exits = files.filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(exits.filter((file) => !/main\.ts$|reaper\.mjs$/.test(file))).toEqual([]);
  });

  it('has no circle of imports, not even of types', () => {
    const imports = new Map(
      files.map((file) => [
        file,
        [...readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'/g)].map(([, to = '']) =>
          posix.join(posix.dirname(file), to),
        ),
      ]),
    );
    const done = new Set<string>();
    const circleFrom = (file: string, way: readonly string[]): readonly string[] | null => {
      if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
      if (done.has(file)) return null;
      for (const next of imports.get(file) ?? []) {
        const circle = circleFrom(next, [...way, file]);
        if (circle !== null) return circle;
      }
      done.add(file);
      return null;
    };
    expect(files.map((file) => circleFrom(file, [])).find((circle) => circle !== null)).toBeUndefined();
  });

  it('has no file that nobody imports', () => {
    const started = [
      'src/cli/bin.mjs',
      'src/cli/main.ts',
      'src/load/generator-main.ts',
      'src/sample/service/main.ts',
      'src/base/process/reaper.mjs',
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
