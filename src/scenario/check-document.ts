import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
} from 'yaml';
import { shortened } from '../base/visible.ts';
import type { Problem } from './problems.ts';

/** Deeper than any scenario, and no deeper than what reads it can follow. */
const MOST_DEPTH = 64;
/** Finding what an alias stands for takes longer the more there are. */
const MOST_ALIASES = 1000;
/** Limit of values and characters that aliases may make of a file: all of it stands in the journal. */
const MOST_SIZE = 4_000_000;

/** Where a text is nested deeper than the library can read without overflowing the stack; null where nowhere. */
export function tooDeepAt(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) {
      // What is complete is of no interest here.
    }
    // The document itself is one, and the value that is read another.
    if (parser.stack.length > MOST_DEPTH + 2) return Math.min(parser.offset, text.length - 1);
  }
  return null;
}

export const TOO_DEEP = `nested too deeply: expected at most ${MOST_DEPTH} levels`;

/**
 * Mistakes of a YAML document that no schema sees: aliases without their anchor, in a circle or that grow too large, and keys
 * that would be lost. Each has its place as an offset.
 */
export function problemsOfDocument(document: Document): Problem[] {
  const walk: Walk = { problems: [], aliases: 0, anchors: new Map(), measures: new Map(), open: new Set() };
  measure(document.contents, walk);
  return walk.problems;
}

/** Size of a node, with the values of its aliases. */
interface Measure {
  readonly size: number;
  readonly depth: number;
}

interface Walk {
  readonly problems: Problem[];
  aliases: number;
  /** The last node so far of each name. */
  readonly anchors: Map<string, Node>;
  /** The measures of nodes that the walk has left. */
  readonly measures: Map<Node, Measure>;
  /** Nodes that the walk is in. */
  readonly open: Set<Node>;
}

const ONE: Measure = { size: 1, depth: 1 };

function problemAt(node: unknown, message: string): Problem {
  return { path: [], offset: (isNode(node) ? node.range?.[0] : undefined) ?? 0, message };
}

function measure(node: unknown, walk: Walk): Measure {
  if (!isNode(node)) return ONE;
  if (isAlias(node)) return measureAlias(node, walk);
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  walk.open.add(node);
  const own = isScalar(node) && typeof node.value === 'string' ? 1 + node.value.length : 1;
  const children = (isMap(node) || isSeq(node) ? node.items : []).flatMap((item: unknown) =>
    isPair(item) ? [measure(item.key, walk), measure(item.value, walk)] : [measure(item, walk)],
  );
  if (isMap(node)) walk.problems.push(...keyProblems(node.items, walk));
  walk.open.delete(node);
  const whole = {
    size: children.reduce((sum, { size }) => sum + size, own),
    depth: children.reduce((most, { depth }) => Math.max(most, 1 + depth), 1),
  };
  walk.measures.set(node, whole);
  return whole;
}

function measureAlias(alias: Node & { readonly source: string }, walk: Walk): Measure {
  const name = `*${shortened(alias.source, 40)}`;
  const anchor = walk.anchors.get(alias.source);
  const { size, depth } = (anchor && walk.measures.get(anchor)) ?? ONE;
  walk.aliases++;
  const message = ((): string | null => {
    if (walk.aliases > MOST_ALIASES) return `too many aliases: expected at most ${MOST_ALIASES}`;
    if (anchor === undefined) return `unknown alias ${name}: ${anchorsBefore(walk)}`;
    if (walk.open.has(anchor)) return `the alias ${name} stands inside of what it stands for`;
    if (depth > MOST_DEPTH) return `the alias ${name} is ${TOO_DEEP}`;
    if (size <= MOST_SIZE) return null;
    return `the alias ${name} makes the scenario too large: expected at most ${MOST_SIZE} characters with all aliases written out`;
  })();
  if (message === null) return { size, depth };
  if (walk.aliases <= MOST_ALIASES + 1) walk.problems.push(problemAt(alias, message));
  // Said once: what holds this alias is not to blame again.
  return ONE;
}

function anchorsBefore({ anchors }: Walk): string {
  const names = [...anchors.keys()].slice(-10).map((name) => `*${shortened(name, 40)}`);
  return names.length === 0 ? 'no value before it has an anchor' : `expected one of ${names.join(', ')}`;
}

/** Keys that an object cannot have, or has once where the file has two; and merges of what has no keys. */
function keyProblems(pairs: readonly Pair[], { anchors }: Walk): Problem[] {
  const seen = new Set<string>();
  return pairs.flatMap(({ key, value }) => {
    const named = isAlias(key) ? anchors.get(key.source) : key;
    if (!isScalar(named) || named.value === null || typeof named.value === 'object' || String(named.value) === '')
      return [problemAt(key, 'expected a text as a key')];
    const text = String(named.value);
    if (text === '__proto__') return [problemAt(key, 'the key "__proto__" cannot be used')];
    if (seen.has(text)) return [problemAt(key, `the key "${shortened(text, 60)}" stands twice`)];
    seen.add(text);
    if (typeof named.value !== 'symbol' || isMapOrMaps(value, anchors)) return [];
    return [problemAt(key, 'expected << to be followed by an alias of a map, or a list of those')];
  });
}

function isMapOrMaps(value: unknown, anchors: ReadonlyMap<string, Node>): boolean {
  const isMapOf = (one: unknown): boolean => isMap(isAlias(one) ? anchors.get(one.source) : one);
  return isSeq(value) ? value.items.every(isMapOf) : isMapOf(value);
}
