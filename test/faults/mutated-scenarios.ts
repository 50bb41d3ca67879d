import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { PgsweepError } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { armsOf } from '../../src/measure/plan/arms.ts';
import { estimate } from '../../src/measure/plan/estimate.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { scenarioJsonSchema } from '../../src/scenario/schema.ts';
import { startCli } from '../cli/cli.ts';
import { breathe, type Context, cpuMs, createTally, EXIT_CODES, MOST_CPU_MS, type PartResult, range } from './part.ts';
import { scenarioSources } from './scenario-sources.ts';

/** A value of every type, and of each the odd ones. */
const values = [
  'null',
  '~',
  'true',
  '0',
  '-1',
  '1.5',
  '1e308',
  '.inf',
  '.nan',
  '99999999999999999999',
  '0x1F',
  '"" ',
  '" "',
  'text',
  '"${unique}"',
  '"${integer 9 1}"',
  '"${nope}"',
  '"../../x"',
  '"\\u0000"',
  '"\\u202Eabc"',
  '"=1+1"',
  '[]',
  '[null]',
  '[[1]]',
  '{}',
  '{ a: { b: 1 } }',
  '{ __proto__: { x: 1 } }',
  '{ constructor: 1 }',
  '2026-01-31',
  '1h',
  '-5s',
  '999999h',
  '0ms',
  '!!binary aGk=',
  '&a x',
  '*undefined',
  '!unknown x',
  '2, 3',
  '? x',
  `"${'x'.repeat(5000)}"`,
];

const keys = ['__proto__', 'constructor', 'toString', 'x-mine', '', ' ', '"a\\nb"', '1', 'null', '[a]', '<<', 'tilte'];

/**
 * Scenarios with one change each are read: every mistake is one with a place, and what is read has a plan. Every key gets
 * a value of every type; then come changed bytes. Some go through a process of their own, as a user's do.
 */
export async function mutatedScenarios({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  for (const fault of faultsOfSources()) tally.fault(fault);
  const places = eachKeyFirst(scenarioSources.flatMap(changesByPlace));
  for (const i of range(from, to)) {
    const isValue = i % 4 !== 3;
    // One place after the other, so that no key is left out.
    const place = places[(i - Math.floor((i + 1) / 4)) % places.length]?.changes ?? [];
    const text = isValue ? random.pick(place)() : changedBytes(random.pick(scenarioSources), random);
    const startMs = cpuMs();
    const { kind, why } = outcomeOf(text);
    const tookMs = cpuMs() - startMs;
    tally.count(kind);
    if (kind === 'no place' || kind === 'internal error') tally.fault(`scenario ${i}: ${kind}: ${why}\n${text}`);
    if (tookMs > MOST_CPU_MS) tally.fault(`scenario ${i} took ${Math.round(tookMs)} ms of CPU time\n${text}`);
    if (i % IN_PROCESS === 0)
      for (const fault of await planFaults(join(folder, 'scenario'), text, kind))
        tally.fault(`scenario ${i}: ${fault}\n${text}`);
    if (i % 50 === 0) await breathe();
  }
  return tally.result();
}

/** One in this many is planned by a process. */
const IN_PROCESS = 200;

/** Before anything is changed they are right, and every key of the language is in one. */
function faultsOfSources(): string[] {
  const written = scenarioSources.join('\n');
  return [
    ...scenarioSources
      .map((text) => ({ text, ...outcomeOf(text) }))
      .filter(({ kind }) => kind !== 'read')
      .map(({ text, kind, why }) => `unchanged: ${kind}: ${why}\n${text}`),
    ...[...keysOf(scenarioJsonSchema())]
      .filter((key) => !new RegExp(`\\b${key}\\??:`).test(written))
      .map((key) => `no scenario here has the key ${key}`),
  ];
}

/** The names of all properties in a JSON Schema. */
function keysOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const own = 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
  return new Set([...own, ...Object.values(schema).flatMap((part) => [...keysOf(part)])]);
}

async function planFaults(folder: string, text: string, kind: Outcome['kind']): Promise<string[]> {
  const file = join(folder, 'pgsweep.yaml');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  const { code, err } = await startCli(['plan', file, '--stack', 'embedded']).done;
  if (!EXIT_CODES.includes(code ?? -1)) return [`plan ended with ${code}: ${err}`];
  return kind === 'refused' && code !== 2 ? [`refused, and plan ended with ${code}`] : [];
}

interface Outcome {
  readonly kind: 'read' | 'refused' | 'no place' | 'internal error';
  readonly why: string;
}

function outcomeOf(text: string): Outcome {
  try {
    const scenario = parseScenario(text, 'test/fixtures/services/mutated.yaml');
    armsOf(scenario);
    estimate(scenario);
    return { kind: 'read', why: '' };
  } catch (error) {
    if (!(error instanceof PgsweepError) || error.exitCode !== 2) {
      return { kind: 'internal error', why: error instanceof Error ? (error.stack ?? '') : String(error) };
    }
    // Of very many mistakes the first have their lines, and the last line says how many more there are.
    const lines = error.message.split('\n');
    const placed = lines.filter((line, i) => i === 0 || i < lines.length - 1 || !/^and \d+ more$/.test(line));
    const hasPlaces = placed.every((line) => /^\S+:\d+:\d+: ./.test(line));
    return { kind: hasPlaces ? 'refused' : 'no place', why: error.message };
  }
}

/** Where in a scenario something can be changed. */
interface Place {
  /** `load.requests.[].path`, whichever source it is of. */
  readonly key: string;
  /** The file with each change. */
  readonly changes: readonly (() => string)[];
}

/** So that all keys have had their turn before one has it again. */
function eachKeyFirst(places: readonly Place[]): Place[] {
  const first = new Map(places.toReversed().map((place) => [place.key, place]));
  return [
    ...places.filter((place) => first.get(place.key) === place),
    ...places.filter((place) => first.get(place.key) !== place),
  ];
}

/** For every node of a file that file with each value in its place; for every map, with each odd key. */
function changesByPlace(source: string): Place[] {
  const places: Place[] = [];
  const walk = (node: unknown, key: string): void => {
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return;
    const [start, end] = (node as Node).range ?? [0, 0];
    const [before, old, after] = [source.slice(0, start), source.slice(start, end), source.slice(end)];
    const lineEnd = old.endsWith('\n') ? '\n' : '';
    places.push({ key, changes: values.map((value) => () => `${before}${value}${lineEnd}${after}`) });
    if (isSeq(node)) for (const item of node.items) walk(item, `${key}.[]`);
    if (!isMap(node)) return;
    if (node.flow)
      places.push({
        key: `${key} and more`,
        changes: keys.map((odd) => () => `${before}{ ${odd}: 1, ${source.slice(start + 1)}`),
      });
    for (const { key: name, value } of node.items) {
      walk(name, `the name of ${key}.${name}`);
      walk(value, `${key}.${name}`);
    }
  };
  walk(parseDocument(source).contents, '');
  return [...places, { key: 'more', changes: keys.map((key) => () => `${source}${key}: 1\n`) }];
}

function changedBytes(source: string, random: Random): string {
  const bytes = Buffer.from(source);
  for (let i = 0; i <= pick(random, 4); i++) {
    const at = pick(random, bytes.length);
    const kind = pick(random, 3);
    if (kind === 0) bytes[at] = pick(random, 256);
    else if (kind === 1) bytes.copyWithin(at, at + 1 + pick(random, 20));
    else bytes.copyWithin(at + 1 + pick(random, 20), at);
  }
  return bytes.toString(random.next() < 0.5 ? 'utf8' : 'latin1');
}

function pick(random: Random, below: number): number {
  return Math.floor(random.next() * below);
}
