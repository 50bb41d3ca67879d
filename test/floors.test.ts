import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Who may import whom, by folder or file of src/; the longest that fits is the floor. A floor may always import from itself.
 * The tree is an hourglass: `measure` writes records, `judge` reads them, and they share `journal` alone.
 */
const ground = ['base', 'journal'];
const facts = ['caveat', 'format', 'notes', 'odd-starts'].map((file) => `judge/${file}.ts`);
const read = [...ground, 'judge/stats', ...facts];
const judge = [...read, 'judge/read', 'judge/verdicts', 'judge/explain', 'judge/tune', 'judge/summary.ts'];
const everything = Symbol('everything');
const floors: Record<string, readonly string[] | typeof everything> = {
  base: [],
  journal: ['base'],
  // A scenario may name every kind of treatment and every probe that there is.
  scenario: [...ground, 'measure/treatment', 'measure/probe'],
  // What is found before a run, by the doctor and by a sweep.
  'measure/finding.ts': ['base'],
  'measure/stack': ground,
  'measure/treatment': ground,
  'measure/target': ground,
  'measure/probe': ground,
  // Snapshots of what is compared, kept and installed as what a stack fetches.
  'measure/against': [...ground, 'measure/stack', 'measure/target'],
  // How a running service and its database are switched from one variant to another.
  'measure/live': [...ground, 'measure/treatment', 'measure/target'],
  // What a variant changes decides how many servers there are; servers and parts know what they cost.
  'measure/plan': [...ground, 'measure/treatment', 'measure/stack', 'measure/link'],
  // What stands between a service and its database.
  'measure/link': [...ground, 'measure/stack', 'measure/finding.ts'],
  'measure/load': [...ground, 'measure/load/workload-module.ts'],
  'measure/dataset': [...ground, 'measure/load/workload-module.ts'],
  // Types that the package exports, for modules and commands of anybody.
  'measure/load/workload-module.ts': ['base'],
  // Work that runs once on a database, beside no load of requests.
  'measure/job': [...ground, 'measure/dataset', 'measure/load', 'measure/probe', 'measure/target'],
  'measure/run': [...ground, 'measure'],
  'judge/stats': ground,
  'judge/format.ts': ['base'],
  'judge/odd-starts.ts': ['judge/stats'],
  'judge/caveat.ts': [],
  'judge/session-notes.ts': ground,
  'judge/notes.ts': [...ground, 'judge/caveat.ts', 'judge/odd-starts.ts', 'judge/session-notes.ts'],
  'judge/read': read,
  'judge/verdicts': [...read, 'judge/read'],
  'judge/explain': [...read, 'judge/read', 'judge/verdicts'],
  // A search for the best setting: its model, its proposals, and what it confirms.
  'judge/tune': [...read, 'judge/read', 'judge/verdicts'],
  'judge/summary.ts': judge,
  // A summary by load level and variant, for all who read it.
  'judge/judged-view.ts': judge,
  // What other tools measured, judged by the same rules.
  'judge/external': judge,
  // Summaries of runs, by commit.
  'judge/history': judge,
  // Runs against each other: sessions are to be judged as runs of other tools are.
  'judge/between-runs': [...judge, 'judge/external'],
  report: ['base', 'journal', 'judge'],
  cli: everything,
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

/** A floor that another may import from, or the room that it is in. */
function mayImport(from: string, to: string): boolean {
  const allowed = floors[from];
  return allowed === everything || (allowed ?? []).some((floor) => to === floor || to.startsWith(`${floor}/`));
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

/** The sample service, a guest: it uses nothing that a service of a user has not. */
const guest = filesIn('scenarios/services/documents');
const all = [...files, ...guest];

/** Files that no other imports: programs, and modules that are loaded by their names. */
const started = [
  'src/cli/bin.mjs',
  'src/cli/main.ts',
  'src/measure/load/generator-main.ts',
  'src/base/process/reaper.mjs',
  ...['bulk/module.ts', 'dataset/main.ts', 'service/main.ts', 'workloads/module.ts'].map(
    (file) => `scenarios/services/documents/${file}`,
  ),
];

/** Relative imports of a file, with the place of each. */
function reachedFrom(file: string): { readonly place: string; readonly to: string; readonly isType: boolean }[] {
  return [...readFileSync(file, 'utf8').matchAll(/^(import|export)( type)? [^;]*?'(\.[^']+)';/gms)].map(
    ([, , type, specifier = '']) => ({
      place: file,
      to: posix.join(posix.dirname(file), specifier),
      isType: type !== undefined,
    }),
  );
}

describe('the floors', () => {
  it('are complete: every folder of src stands in the table', () => {
    expect(Object.keys(floors).sort()).toEqual([...new Set(files.map(floorOf))].sort());
  });

  it('are not broken by any import', () => {
    const broken = files
      .flatMap((file) => importsOf(file, readFileSync(file, 'utf8')))
      .filter(({ from, to }) => from !== to && !mayImport(from, to))
      .map(({ place, from, to }) => `${place}: ${from} may not import from ${to}`);
    expect(broken).toEqual([]);
  });

  it('would be seen broken, with file and line', () => {
    const text =
      "import a from 'node:fs';\nimport { b } from '../measure/stack/b.ts';\nconst c = await import('../cli/c.ts');\n";
    expect(importsOf('src/report/x.ts', text)).toEqual([
      { place: 'src/report/x.ts:2', from: 'report', to: 'measure/stack' },
      { place: 'src/report/x.ts:3', from: 'report', to: 'cli' },
    ]);
  });
});

describe('the sample service', () => {
  it('imports nothing of src but the types that the package exports', () => {
    const outside = guest.flatMap(reachedFrom).filter(({ to }) => !to.startsWith('scenarios/services/documents/'));
    expect(outside.length).toBeGreaterThan(3);
    const types = 'src/measure/load/workload-module.ts';
    expect(outside.filter(({ to, isType }) => to !== types || !isType)).toEqual([]);
  });

  it('is known to one file of src, where the words for it stand', () => {
    const names = /ed-?fi\b|grand-?bend|southridge|-schools\b|document service|services\/documents|SEARCH_MODE/i;
    expect(files.filter((file) => names.test(readFileSync(file, 'utf8')))).toEqual(['src/journal/sample.ts']);
    expect(files.flatMap(reachedFrom).filter(({ to }) => !to.startsWith('src/'))).toEqual([]);
  });
});

describe('the tree', () => {
  it('has seven rooms', () => {
    const rooms = readdirSync('src').sort();
    expect(rooms).toEqual(['base', 'cli', 'journal', 'judge', 'measure', 'report', 'scenario']);
  });

  it('has no file of over 300 lines', () => {
    const long = all.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300);
    expect(long).toEqual([]);
  });

  it('exits the process only from main files', () => {
    const exits = all.filter((file) => /process\.exit\(/.test(readFileSync(file, 'utf8')));
    expect(exits.filter((file) => !/main\.ts$|bin\.mjs$|reaper\.mjs$/.test(file))).toEqual([]);
  });

  it('has no circle of imports, not even of types', () => {
    const imports = new Map(
      all.map((file) => [
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
    expect(all.map((file) => circleFrom(file, [])).find((circle) => circle !== null)).toBeUndefined();
  });

  it('has no file that nobody imports', () => {
    const imported = new Set(
      all.flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)['"]/g)].map((match) =>
          posix.join(posix.dirname(file), match[1] ?? ''),
        ),
      ),
    );
    const dead = all.filter((file) => !imported.has(file) && !started.includes(file) && !file.endsWith('.d.mts'));
    expect(dead).toEqual([]);
  });

  it('has no exported name that nobody else uses', () => {
    const words = new Map(
      [...all, ...filesIn('test'), ...filesIn('scripts')].map((file) => [
        file,
        readFileSync(file, 'utf8').match(/\w+/g) ?? [],
      ]),
    );
    const users = new Map<string, number>();
    for (const own of words.values()) for (const word of new Set(own)) users.set(word, (users.get(word) ?? 0) + 1);
    const unused = all.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function|const|class|type|interface) (\w+)/gm)]
        .map((match) => match[1] ?? '')
        .filter((name) => users.get(name) === 1)
        // A type that only an exported signature of its own file names is part of that signature.
        .filter((name) => (words.get(file) ?? []).filter((word) => word === name).length < 2)
        .map((name) => `${file}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});
