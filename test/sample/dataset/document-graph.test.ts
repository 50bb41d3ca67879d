import { describe, expect, it } from 'vitest';
import { arrange } from '../../../scenarios/services/documents/dataset/edfi-xml/arrange.ts';
import { DocumentGraph, GraphProblemError } from '../../../scenarios/services/documents/dataset/edfi-xml/graph.ts';
import { KeyTable } from '../../../scenarios/services/documents/dataset/edfi-xml/key-table.ts';
import { NumberList } from '../../../scenarios/services/documents/dataset/edfi-xml/number-list.ts';
import type { DocumentDescription } from '../../../scenarios/services/documents/model/document.ts';
import { createRandom } from '../../../src/base/random.ts';

const location = { file: 'a.xml', line: 1, column: 1 };

function described(id: string, targets: readonly string[]): DocumentDescription {
  const references = targets.map((documentId) => {
    const resourceName = documentId.startsWith('d') ? 'TermDescriptor' : 'Thing';
    return { documentId, resourceName, identity: { id: documentId } };
  });
  return { documentId: id, resourceName: 'Thing', isDescriptor: false, identity: { id }, aliasIds: [id], references };
}

/** Documents by place, each with the places that it refers to; entered in the order of `places`. */
function graphOf(targets: readonly (readonly number[])[], places = [...targets.keys()]): DocumentGraph {
  const graph = new DocumentGraph();
  for (const place of places) {
    graph.add(
      place,
      described(
        `t${place}`,
        (targets[place] ?? []).map((each) => `t${each}`),
      ),
      location,
    );
  }
  return graph;
}

function problemOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof GraphProblemError) return error.problem;
    throw error;
  }
  return undefined;
}

describe('the arrangement of documents', () => {
  it('is that of the definition, in whatever order documents are entered', () => {
    const random = createRandom('graphs');
    for (let run = 0; run < 300; run++) {
      const size = random.integer(1, 40);
      // A hidden order keeps circles out, so that references look both ways.
      const rank = random.shuffle([...Array(size).keys()]);
      const targets = rank.map((own) =>
        [...rank.keys()].filter((other) => (rank[other] ?? 0) < own && random.next() < 0.1),
      );
      const memo = new Map<number, number>();
      const roundOf = (place: number): number => {
        const known = memo.get(place);
        if (known !== undefined) return known;
        const rounds = (targets[place] ?? []).map((target) => roundOf(target) + (target < place ? 0 : 1));
        memo.set(place, Math.max(0, ...rounds));
        return Math.max(0, ...rounds);
      };
      const expected = targets.map((_, place) => roundOf(place));
      expect([...arrange(graphOf(targets)).rounds]).toEqual(expected);
      expect([...arrange(graphOf(targets, random.shuffle([...targets.keys()]))).rounds]).toEqual(expected);
    }
  });

  it('has no problem with a row of 100,000', () => {
    const forward = Array.from({ length: 100_000 }, (_, place) => (place < 99_999 ? [place + 1] : []));
    expect(arrange(graphOf(forward)).rounds[0]).toBe(99_999);
  });

  it('finds circles, also of one document', () => {
    expect(problemOf(() => arrange(graphOf([[0]])))).toEqual({ kind: 'circle', place: 0, target: 0 });
    expect(problemOf(() => arrange(graphOf([[1], [2], [0]])))).toEqual({ kind: 'circle', place: 2, target: 0 });
  });

  it('finds what is missing and what is there twice', () => {
    expect(problemOf(() => arrange(graphOf([[], [5]])))).toEqual({ kind: 'missing', place: 1 });
    const graph = graphOf([[], []]);
    const again = problemOf(() => graph.add(2, described('t1', []), location));
    expect(again).toEqual({ kind: 'same key', place: 2, first: 1, key: 'natural' });
  });

  it('adds descriptors in the order in which documents name them, unless they come later', () => {
    const graph = new DocumentGraph();
    graph.add(2, described('t2', ['d3', 'd4', 'd1']), location);
    graph.add(0, described('t0', ['d2', 'd1']), location);
    graph.add(1, described('d4', []), location);
    const { missingDescriptors, rounds } = arrange(graph);
    expect(missingDescriptors.map(({ reference }) => reference.documentId)).toEqual(['d2', 'd1', 'd3']);
    expect([...rounds]).toEqual([0, 0, 0]);
  });
});

describe('a table of keys', () => {
  it('numbers texts in order of appearance, and tells all apart', () => {
    const table = new KeyTable();
    const texts = Array.from({ length: 200_000 }, (_, i) => `key ${i}`);
    for (const [number, text] of texts.entries()) {
      if (table.add(text) !== number) throw new Error(`${text} was taken for another`);
    }
    expect(table.size).toBe(200_000);
    expect([0, 1, 99_999, 199_999].map((number) => table.find(`key ${number}`))).toEqual([0, 1, 99_999, 199_999]);
    expect(table.add('key 7')).toBe(7);
    expect([table.find('key 200000'), table.find('')]).toEqual([-1, -1]);
  });

  it('tells texts apart that differ in one character or in their order only', () => {
    const table = new KeyTable();
    const texts = new Set<string>();
    for (let i = 0; i < 38; i++) {
      for (const character of 'ABCDEFGHab01-_') texts.add(`${'A'.repeat(i)}${character}${'A'.repeat(37 - i)}`);
    }
    for (const text of texts) table.add(text);
    expect(table.size).toBe(texts.size);
  });
});

it('a list of numbers grows to where it is written', () => {
  const list = new NumberList(1);
  list.push(-5);
  list.set(5000, 7);
  expect([list.length, list.at(0), list.at(1), list.at(5000), list.at(5001)]).toEqual([5001, -5, 0, 7, 0]);
});
