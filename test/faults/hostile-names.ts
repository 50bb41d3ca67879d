import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ExitCode } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { openJournal } from '../../src/journal/journal.ts';
import type { Summary } from '../../src/judge/summary.ts';
import { type ExportFormat, exportFormats } from '../../src/report/exports/export-formats.ts';
import { type CliResult, startCli } from '../cli/cli.ts';
import { run } from '../cli/in-process.ts';
import { formulasIn, harmsIn, markupIn, tagsOf, unseenIn } from '../support/harmless.ts';
import { pairFaults, REPORT_FILE } from './hostile-pairs.ts';
import { NAMES, renamed, runNamed } from './hostile-run.ts';
import { breathe, type Context, createTally, type PartResult, range } from './part.ts';
import { sweepArgs } from './small-sweep.ts';

/** What somebody would call a thing to be obeyed by who reads of it. */
const pieces = [
  '=HYPERLINK("http://evil.example","x")',
  '+1+cmd|"/c calc"!A0',
  '-2;=1+1',
  '@SUM(1)\r\n=2',
  '\t=1',
  '\uff1d1',
  '\u001b[2J\u001b]0;title\u0007',
  '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\',
  '\u009b31m',
  '\u202eevil\u2066',
  '\u200b\u00ad\ufeff',
  '\u2028\u2029\u0085',
  '\u0000',
  '\ud800',
  '\u{e0041}',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '\' onload="x',
  '--></svg><svg onload=alert(1)>',
  '&lt;b&gt;&#60;',
  ']]>',
  '](javascript:alert(1))',
  '![i](http://evil.example/i.png)',
  '[x]: http://evil.example',
  '# head',
  '\n# head\n',
  '- [ ] task',
  '| a | b |\n|---|---|',
  '</details>',
  '```',
  '`code`',
  '\\',
  '$\\href{x}{y}$',
  'www.evil.example',
  'a@evil.example',
  '../../../../../../tmp/pgsweep-evil',
  '..\\..\\evil',
  '/etc/passwd',
  'C:\\evil',
  'CON',
  '.',
  '..',
  '%s%n',
  '${env HOME}',
  '{{7*7}}',
];
/** These are names of their own to JavaScript; whole, or they are nothing. */
const wholes = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '',
  ' ',
  '0',
  'null',
  'slices',
];
/** What of a report is printed. */
const shown: readonly (readonly string[])[] = [['--json'], [], ['--full'], ['--style', 'classic'], []];
const FIT_OR_NOT: readonly number[] = [ExitCode.done, ExitCode.unfit];

/**
 * Run folders with names of somebody else's in every place are judged, shared or not, and each output is looked at: what
 * a terminal, Markdown, HTML or a spreadsheet would obey is not in it, nothing is written elsewhere, and the numbers are
 * those of the same run with plain names. Some go through a process of their own. Then two such runs are compared, and two
 * shares merged.
 */
export async function hostileNames({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  const parent = join(folder, 'hostile');
  const twin = await judged({ run: join(parent, `plain-${from}`), names: [], flags: [], ownProcess: false });
  // A page made long by its names says so of itself, so that it is not printed.
  const expected = { summary: summaryOf(twin), tags: new Set([...tagsOfAll(twin), 'body class']) };
  for (const i of range(from, to)) {
    const names = chosenNames(random);
    const flags = [...(i % 2 === 0 ? ['--share'] : []), ...(shown[i % shown.length] ?? [])];
    const run = join(parent, `${i}`, fileName(random.pick(names)), 'run');
    const before = entriesOf(parent);
    const report = await judged({ run, names, flags, ownProcess: i % 10 === 0 });
    const faults = [
      ...faultsOf(report, flags, expected, names),
      ...(await exportFaults(run, exportFormats[i % exportFormats.length])),
      ...(await pairFaults(join(parent, `${i}`), names, { number: i, tags: expected.tags })),
      ...elsewhere(parent, run, before).map((path) => `${path} is new`),
    ];
    tally.count(i % 10 === 0 ? 'a process' : 'here');
    for (const fault of faults) tally.fault(`names ${i}: ${fault}; ${run}`);
    if (faults.length === 0) rmSync(join(parent, `${i}`), { recursive: true });
    await breathe();
  }
  return tally.result();
}

/** Sweeps of scenarios with such names. */
export async function hostileSweeps({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  const parent = join(folder, 'hostile');
  mkdirSync(parent, { recursive: true });
  for (const i of range(from, to)) {
    tally.count('a sweep');
    for (const fault of await sweepFaults(join(parent, `sweep-${i}`), random)) tally.fault(`sweep ${i}: ${fault}`);
  }
  return tally.result();
}

/** What came out of `report`. */
interface Report {
  readonly run: string;
  readonly result: CliResult;
  /** By their names in the run folder, what `report` wrote. */
  readonly written: ReadonlyMap<string, string>;
  /** Files of others in it that are not what they were. */
  readonly changed: readonly string[];
}

interface Asked {
  readonly run: string;
  readonly names: readonly string[];
  readonly flags: readonly string[];
  readonly ownProcess: boolean;
}

async function judged({ run, names, flags, ownProcess }: Asked): Promise<Report> {
  const given = writeRun(run, names);
  const result = ownProcess ? await startCli(['report', run, ...flags]).done : await reportHere(run, flags);
  const files = filesIn(run);
  const changed = [...given].filter(([name, text]) => files.get(name) !== text).map(([name]) => name);
  const written = new Map([...files].filter(([name]) => !given.has(name)));
  return { run, result, written, changed };
}

/** In this process, which has everything loaded: a process for each would take ten times as long. */
async function reportHere(folder: string, flags: readonly string[]): Promise<CliResult> {
  const result = await run('report', '--no-limits', folder, ...flags);
  delete process.env.PGSWEEP_SHARE;
  return result;
}

/** A run folder of somebody else's, with a log and samples under such names too. Returns its files. */
function writeRun(run: string, names: readonly string[]): Map<string, string> {
  const { run: head, records } = runNamed(names);
  for (const name of ['logs', 'samples']) mkdirSync(join(run, name), { recursive: true });
  const journal = openJournal(join(run, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  for (const name of names.slice(0, 5)) {
    writeFileSync(join(run, 'logs', `${fileName(name)}.log`), names.join('\n'));
    writeFileSync(join(run, 'samples', `${fileName(name)}.csv-of-others`), names.join(','));
  }
  return filesIn(run);
}

function filesIn(run: string): Map<string, string> {
  return new Map(
    readdirSync(run, { recursive: true, encoding: 'utf8' })
      .filter((name) => lstatSync(join(run, name)).isFile())
      .map((name) => [name, readFileSync(join(run, name), 'utf8')]),
  );
}

interface Expected {
  readonly summary: Summary;
  readonly tags: ReadonlySet<string>;
}

function faultsOf(
  report: Report,
  flags: readonly string[],
  { summary, tags }: Expected,
  names: readonly string[],
): string[] {
  const { run, result, written, changed } = report;
  const { code, out, err } = result;
  if (!FIT_OR_NOT.includes(code ?? -1)) return [`exit code ${code}: ${err}`];
  const texts = [['stdout', out], ['stderr', err], ...written] as const;
  const [folderMode, fileMode] = flags.includes('--share') ? [0o755, 0o644] : [0o700, 0o600];
  const modeOf = (name: string): number => lstatSync(join(run, name)).mode & 0o777;
  return [
    ...changed.map((name) => `${JSON.stringify(name)} is not what it was`),
    ...[...written.keys()].filter((name) => !REPORT_FILE.test(name)).map((name) => `wrote ${JSON.stringify(name)}`),
    ...[...written.keys()].filter((name) => modeOf(name) !== fileMode).map((name) => `${name} has another mode`),
    ...(modeOf('charts') === folderMode ? [] : ['charts has another mode']),
    ...texts.flatMap(([name, text]) => harmsIn(name, text, tags).map((harm) => `${name}: ${harm}`)),
    ...(flags.includes('--json') && !isJson(out) ? ['stdout is no JSON'] : []),
    ...otherThan(summary, summaryOf(report), names),
  ];
}

/** What is wrong with a run that is printed for another program. */
async function exportFaults(run: string, format: ExportFormat = 'metrics'): Promise<string[]> {
  const { code, out, err } = await reportHere(run, ['--export', format]);
  if (!FIT_OR_NOT.includes(code ?? -1)) return [`--export ${format}: exit code ${code}: ${err}`];
  const lines = out.trimEnd().split('\n');
  const torn = format === 'metrics' ? undefined : lines.find((line) => !exported[format].test(line));
  return [
    ...unseenIn(out),
    ...(format === 'metrics' ? formulasIn(out) : []),
    ...(torn === undefined ? [] : [`--export ${format}: ${JSON.stringify(torn.slice(0, 200))}`]),
  ];
}

/** The lines that these formats have. */
const exported = {
  openmetrics: /^(# (TYPE|HELP) pgsweep_\w+ .+|# EOF|pgsweep_\w+\{([a-z]+="([^"\\]|\\["\\n])*",?)+\} -?[\d.e+-]+)$/,
  benchstat: /^(scenario: .*|Unit \w+ better=(higher|lower)|Benchmark\/variant=\S*\/load=\S+ 1( -?[\d.e+-]+ \w+)+)$/,
};

function tagsOfAll({ written }: Report): Set<string> {
  return new Set([...written].filter(([name]) => /\.(html|svg)$/.test(name)).flatMap(([, text]) => [...tagsOf(text)]));
}

function summaryOf({ written }: Report): Summary {
  return JSON.parse(written.get('summary.json') ?? 'null') as Summary;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Requests of other names are other work: its digest is left out. */
function comparable(summary: Summary, part: keyof Summary): unknown {
  return part === 'run' ? { ...summary.run, work: '' } : summary[part];
}

/** Parts of a summary that are not those of the plain run under the names. */
function otherThan(plain: Summary, hostile: Summary | null, names: readonly string[]): string[] {
  if (hostile === null) return ['there is no summary'];
  const parts = ['run', 'comparisons', 'repeats', 'averages', 'indexes', 'provenance'] as const;
  return parts
    .filter((part) => inOrder(renamed(comparable(plain, part), names)) !== inOrder(comparable(hostile, part)))
    .map((part) => `${part} of the summary is another than with plain names`);
}

/** As text, whatever order names were sorted into. */
function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${inOrder(one)}`)
    .sort()
    .join()}}`;
}

/** All different, since a run's variants are. */
function chosenNames(random: Random): string[] {
  const names = new Set<string>();
  while (names.size < NAMES) {
    const kind = random.integer(0, 9);
    const some = random.shuffle(pieces).slice(0, random.integer(1, 4));
    if (kind <= 1) names.add(random.pick(wholes));
    else if (kind === 2) names.add(some.join('').repeat(random.integer(10, 200)));
    else names.add(some.join(random.pick(['', ' ', '\n'])));
  }
  return random.shuffle([...names]);
}

/** As near to a name as a file can be called. */
function fileName(name: string): string {
  const possible = name.replaceAll('\0', '').replaceAll('/', '_').replace(/^\.*$/, 'x');
  return Buffer.from(possible).subarray(0, 150).toString('utf8').replaceAll('\ufffd', '');
}

/** What lies beside the runs, and where names with `../` would lead. */
function entriesOf(parent: string): Set<string> {
  return new Set([parent, '/tmp', join(parent, '..')].flatMap((at) => readdirSync(at).map((name) => join(at, name))));
}

function elsewhere(parent: string, run: string, before: ReadonlySet<string>): string[] {
  const own = join(parent, relative(parent, run).split('/')[0] ?? '');
  return [...entriesOf(parent)].filter((path) => !before.has(path) && path !== own && /evil/.test(path));
}

/** A sweep whose variants and requests have such names: in what it prints and in its files nothing is obeyed. */
async function sweepFaults(run: string, random: Random): Promise<string[]> {
  const usable = chosenNames(random).filter((name) => name.length < 200);
  const result = await startCli(sweepArgs(run, { names: usable.slice(0, 4) })).done;
  if (result.code === 2) {
    const isPlaced = result.err.split('\n').some((line) => /\.yaml:\d+:\d+: /.test(line));
    return [...(isPlaced ? [] : [`refused without a place: ${result.err}`]), ...unseenIn(result.err)];
  }
  if (!FIT_OR_NOT.includes(result.code ?? -1)) return [`exit code ${result.code}: ${result.err}`];
  // The journal is for programs, and holds names as they are.
  const texts = [...filesIn(run)].filter(([name]) => name !== 'journal.jsonl');
  return [['stdout', result.out] as const, ['stderr', result.err] as const, ...texts].flatMap(([name, text]) =>
    [
      ...unseenIn(text),
      ...(name.endsWith('.csv') ? formulasIn(text) : []),
      ...(name.endsWith('.md') ? markupIn(text) : []),
    ].map((harm) => `${name}: ${harm}; ${run}`),
  );
}
