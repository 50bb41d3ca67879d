import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExitCode } from '../../src/base/errors.ts';
import { openJournal, readJournal } from '../../src/journal/journal.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';

const run = promisify(execFile);

/** By its heading, what a recipe adds to the tree: whole files, and lines at the end of files that are there. */
interface Recipe {
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly lines: readonly (readonly [path: string, line: string])[];
  /** What changes in the middle of files, where the order of a list counts. */
  readonly diffs: readonly (readonly [path: string, diff: string])[];
}

/** A text with a diff: a line with a blank is found, one with - found and left out, one with + put in below it. */
function patched(text: string, diff: string): string {
  const lines = text.split('\n');
  let at = 0;
  for (const [sign, ...rest] of diff.split('\n').slice(0, -1)) {
    const line = rest.join('');
    if (sign === '+') lines.splice(at++, 0, line);
    else {
      const found = lines.indexOf(line, at);
      if (found < 0) throw new Error(`no line "${line}"`);
      if (sign === '-') lines.splice(found, 1);
      at = sign === '-' ? found : found + 1;
    }
  }
  return lines.join('\n');
}

function recipesIn(page: string): Map<string, Recipe> {
  const sections = page.split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```(\w+)\n(?:\/\/|#|--) (in )?(\S+)\n([\s\S]*?)^```$/gm)];
      const parts = blocks.map(([, language, added, path = '', text = '']) => ({
        kind: language === 'diff' ? 'diff' : added === undefined ? 'file' : 'line',
        entry: [path, text] as const,
      }));
      const of = (wanted: string) => parts.flatMap(({ kind, entry }) => (kind === wanted ? [entry] : []));
      return [section.slice(0, section.indexOf('\n')), { files: of('file'), lines: of('line'), diffs: of('diff') }];
    }),
  );
}

/** The second part of a variant, which needs no page of its own, comes after the recipes of the page. */
const recipes = new Map(
  ['docs/extending.md', 'test/live/extending-relay.md'].flatMap((page) => [...recipesIn(readFileSync(page, 'utf8'))]),
);
/** A copy of the tree in which every recipe was followed. */
let tree: string;

beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), 'pgsweep-extended-'));
  for (const part of ['src', 'docker', 'scenarios', 'package.json', 'tsconfig.json']) {
    cpSync(part, join(tree, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  for (const { files, lines, diffs } of recipes.values()) {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text, { flag: 'wx' });
    }
    for (const [path, line] of lines) appendFileSync(join(tree, path), line);
    for (const [path, diff] of diffs) {
      writeFileSync(join(tree, path), patched(readFileSync(join(tree, path), 'utf8'), diff));
    }
  }
  await run(process.execPath, [resolve('scripts/build.mjs')], { cwd: tree });
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** Runs the extended pgsweep, as it is built; throws where it fails. */
async function pgsweep(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['dist/cli/bin.mjs', ...args], { cwd: tree });
  return stdout;
}

/** A run folder in the tree whose journal has timeouts, and probes. */
function runFolder(name: string): string {
  const folder = join(tree, name);
  mkdirSync(folder);
  const { run: head, records } = fixtureJournal({
    rounds: 4,
    connections: [25],
    probes: () => ({ processes: { service_cpu_cores: 0.5 } }),
    failures: ({ variant }, requests) => (variant === 'pool=50' ? { timeouts: Math.round(requests * 0.1) } : {}),
  });
  const journal = openJournal(join(folder, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  return folder;
}

/** A service that says at its start how it is run, and if its database is where it was told to look for it. */
const server = `import { createServer } from 'node:http';
import pg from 'pg';
const { DATABASE_URL, NODE_OPTIONS, PORT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
const { rows } = await pool.query('SELECT inet_server_port() AS port');
console.log('options', NODE_OPTIONS, 'direct', new URL(DATABASE_URL).port === String(rows[0].port));
createServer(async (_, response) => {
  await pool.query('UPDATE documents SET seen = seen + 1 WHERE id = 1');
  response.end();
}).listen(PORT, '127.0.0.1');
`;

/** A scenario that asks for all that the recipes of the measuring half add. */
function scenarioFile(): string {
  const file = join(tree, 'extended.yaml');
  writeFileSync(join(tree, 'server.mjs'), server);
  writeFileSync(
    join(tree, 'tables.sql'),
    'CREATE TABLE documents AS SELECT id, 0 AS seen FROM generate_series(1, 400) id;',
  );
  writeFileSync(
    file,
    `title: What pages that are not full are good for
target: { command: node server.mjs, ready: / }
dataset: { sql: tables.sql }
variants:
  Full pages: {}
  Roomy pages: { fillfactor: { documents: 70 }, heap: 96, relay: on }
control: Full pages
load: { connections: [4], slice: 1s, requests: [{ path: / }] }
probes: { load-average: on }
`,
  );
  return file;
}

/** A scenario with the levels of one part, and what it says for all variants. */
function grid(forAll: string, part: string, levels: string): string {
  const file = join(tree, `${part}.yaml`);
  const sweep = `sweep: { ${part}: { ${part}: [${levels}] } }\ncontrol: { ${part}: ${levels.split(',')[0]} }`;
  writeFileSync(file, `${forAll}\n${sweep}\nload: { connections: [4], requests: [{ path: / }] }\n`);
  return file;
}

interface Swept {
  readonly arms: readonly (readonly [variant: string, treatment: unknown])[];
  readonly probes: readonly (readonly [name: string, values: unknown])[];
  /** Readings of the relay, by variant. */
  readonly links: readonly (readonly [variant: string, relay: unknown])[];
  readonly settings: unknown;
  /** What the services of all variants have said, and the report. */
  readonly said: string;
  readonly report: string;
}

let swept: Promise<Swept> | null = null;

/** One quick sweep of it, on the stack of the recipe. */
function extendedSweep(): Promise<Swept> {
  swept ??= (async () => {
    const folder = join(tree, 'swept');
    // Whether a short session beside other load is fit is not for this test to say.
    await pgsweep('sweep', scenarioFile(), '--stack', 'unsafe', '--quick', '--quiet', '--out', folder).catch(
      (error: { code?: number }) => {
        if (error.code !== ExitCode.unfit) throw error;
      },
    );
    const logs = readdirSync(join(folder, 'logs')).map((log) => readFileSync(join(folder, 'logs', log), 'utf8'));
    const records = [...readJournal(join(folder, 'journal.jsonl')).records];
    return {
      arms: records.flatMap((record) => (record.type === 'arm' ? [[record.variant, record.treatment] as const] : [])),
      probes: records.flatMap((record) => (record.type === 'probe' ? [[record.probe, record.values] as const] : [])),
      links: records.flatMap((record) =>
        record.type === 'link' ? [[record.variant, (record as { relay?: unknown }).relay] as const] : [],
      ),
      settings: JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).provenance.postgresSettings,
      said: logs.join(''),
      report: readFileSync(join(folder, 'report.md'), 'utf8'),
    };
  })();
  return swept;
}

/**
 * A service that answers three requests at once, or a lone one after a second. It tells of requests that did not wait until all that
 * came before were answered: a closed loop sends each as soon as its own was.
 */
const threeAtOnce = `
import { createServer } from 'node:http';
let waiting = [], open = 0, isAnswering = false, timer;
const answer = () => {
  clearTimeout(timer);
  isAnswering = true;
  waiting.splice(0).forEach((response, place) => setTimeout(() => {
    open--;
    if (open === 0) isAnswering = false;
    response.end('done');
  }, 5 * place));
};
createServer(({ url }, response) => {
  if (url === '/ready') return response.end();
  console.log(isAnswering ? 'too early' : 'in time');
  open++;
  if (waiting.push(response) === 3) answer();
  else if (waiting.length === 1) timer = setTimeout(answer, 1000);
}).listen(process.env.PORT, '127.0.0.1');
`;

/** What shows that a recipe works, by its heading. */
const shown: Readonly<Record<string, () => Promise<void>>> = {
  async 'A cross-check'() {
    await pgsweep('report', runFolder('checked'));
    const { findings } = JSON.parse(readFileSync(join(tree, 'checked/summary.json'), 'utf8'));
    const [found] = findings.filter(({ name }: { name: string }) => name === 'timeouts');
    expect(found).toMatchObject({ weight: 70, cells: [{ variant: 'pool=50' }] });
    expect(readFileSync(join(tree, 'checked/report.md'), 'utf8')).toContain(found.text);
  },

  async 'A report format'() {
    const printed = await pgsweep('report', runFolder('formatted'));
    const [title = ''] = printed.split('\n');
    expect(readFileSync(join(tree, 'formatted/report.txt'), 'utf8')).toContain(title);
  },

  async 'A probe'() {
    const { arms, probes } = await extendedSweep();
    expect(probes).toContainEqual(['load-average', { load_average: expect.any(Number) }]);
    expect(arms).not.toHaveLength(0);
  },

  async 'A kind of load'() {
    writeFileSync(join(tree, 'three-at-once.mjs'), threeAtOnce);
    const file = join(tree, 'bursts.yaml');
    const written = `target: { command: node three-at-once.mjs, ready: /ready, database: none }
variants: { A: {}, B: { env: { X: 1 } } }
control: A
load: { bursts: 3, slice: 1s, requests: [{ path: / }] }
`;
    writeFileSync(file, written.replace('bursts', 'connections: 3, bursts'));
    await expect(pgsweep('plan', file)).rejects.toThrow('expected one of connections, rate, users, bursts, not both');
    writeFileSync(file, written);
    expect(await pgsweep('plan', file)).toContain('in bursts, 3 connections');
    const folder = join(tree, 'in-bursts');
    await pgsweep('sweep', file, '--quick', '--quiet', '--out', folder).catch((error: { code?: number }) => {
      if (error.code !== ExitCode.unfit) throw error;
    });
    const { averages } = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'));
    expect(averages).toHaveLength(3);
    for (const average of averages)
      expect(average).toMatchObject({ load: { connections: 3, of: 'bursts' }, ok: expect.any(Number), errors: 0 });
    const logs = readdirSync(join(folder, 'logs')).map((log) => readFileSync(join(folder, 'logs', log), 'utf8'));
    expect(logs.join('')).toContain('in time');
    expect(logs.join('')).not.toContain('too early');
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('in bursts, 3 connections');
  },

  async 'A treatment'() {
    expect(await pgsweep('plan', scenarioFile())).toContain('packs the pages of documents to 70 %');
    const { arms } = await extendedSweep();
    const found = 'fillfactor of documents = 70';
    expect(arms).toContainEqual(['Roomy pages', [{ kind: 'fillfactor', name: 'documents', found }]]);
  },

  async 'A part of a variant'() {
    expect(await pgsweep('plan', scenarioFile())).toMatch(/Roomy pages .*\bheap 96 MB\b/);
    const { said, report } = await extendedSweep();
    expect(said).toContain('options --max-old-space-size=96 ');
    expect(said).toContain('options undefined ');
    expect(report).toContain('Full pages as it is; Roomy pages 96 MB');
    expect(await pgsweep('plan', grid('target: { command: node server.mjs, heap: 96 }', 'relay', 'on, off'))).toMatch(
      /relay=off .*\bheap 96 MB\b/,
    );
  },

  async 'A stack kind'() {
    expect(await pgsweep('plan', scenarioFile(), '--stack', 'unsafe')).toContain('stack: unsafe (asked for)');
    expect((await extendedSweep()).settings).toMatchObject({ fsync: 'off' });
  },

  async 'A command'() {
    expect(await pgsweep('results')).toBe('There is no run yet.\n');
  },

  async 'A part in between'() {
    const { said, report, links } = await extendedSweep();
    expect(said).toContain('options --max-old-space-size=96 direct false');
    expect(said).toContain('options undefined direct true');
    expect(links).toEqual([['Roomy pages', { connections: 1 }]]);
    expect(report).toMatch(/before Roomy pages's database\W+1 connection through the relay/);
    const all = await pgsweep(
      'plan',
      grid('target: { command: node server.mjs }\nstack: { relay: on }', 'heap', '64, 96'),
    );
    expect(all.match(/relay on/g)).toHaveLength(2);
  },
};

/** How many files and registries a recipe has that is in several halves. */
const several: Readonly<Record<string, readonly [files: number, registries: number]>> = {
  // A load's traits are a line that both halves share, as the record of a part.
  'A kind of load': [2, 3],
  'A part of a variant': [3, 4],
  // Its own reading is also read.
  'A part in between': [4, 5],
};

test('docs/extending.md has a recipe of one file and one line for each of these, and for each half of a kind of load or a part', () => {
  expect([...recipes.keys()]).toEqual(Object.keys(shown));
  for (const [heading, { files, lines, diffs }] of recipes) {
    const [halves, registries] = several[heading] ?? [1, 1];
    expect([files.length, lines.length + diffs.length], heading).toEqual([halves, registries]);
    for (const [path, line] of lines) expect(line.trim().split('\n'), path).toHaveLength(1);
  }
});

// The compiler alone takes twelve seconds of CPU, of which a loaded machine gives a tenth.
test('the tree with all of them compiles', { timeout: 900_000 }, async () => {
  writeFileSync(
    join(tree, 'tsconfig.src.json'),
    '{ "extends": "./tsconfig.json", "compilerOptions": { "incremental": false }, "include": ["src"] }',
  );
  const compiler = ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.src.json'];
  await run(process.execPath, compiler, { cwd: tree }).catch(({ stdout }) => {
    throw new Error(stdout);
  });
});

test.each(Object.keys(shown))('%s works', async (heading) => {
  await shown[heading]?.();
});
