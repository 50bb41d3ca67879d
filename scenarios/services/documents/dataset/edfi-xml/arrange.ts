import { type DocumentGraph, GraphProblemError, type MissingDescriptor } from './graph.ts';

/** In which reading of the folder each document comes out, so that what it refers to has come out before. */
export interface Arrangement {
  /** By the document's place in the folder. */
  rounds: Int32Array;
  missingDescriptors: MissingDescriptor[];
}

/** Finds the rounds that were still open when the last file was read. Throws GraphProblemError. */
export function arrange(graph: DocumentGraph): Arrangement {
  for (let place = 0; place < graph.size; place++) requireTargets(place, graph);
  const underWay = new Uint8Array(graph.waiting.round.length);
  const rounds = new Int32Array(graph.size);
  for (let place = 0; place < graph.size; place++) {
    if (graph.roundOf(place) < 0) visit(place, graph, underWay);
    rounds[place] = graph.roundOf(place);
  }
  return { rounds, missingDescriptors: graph.missingDescriptors() };
}

function requireTargets(place: number, graph: DocumentGraph): void {
  const { from, to } = edgesOf(place, graph);
  for (let edge = from; edge < to; edge++) {
    const key = graph.edges.at(edge);
    if (graph.placeOf(key) < 0 && !graph.isMissingDescriptor(key))
      throw new GraphProblemError({ kind: 'missing', place });
  }
}

/** Depth first with its own stack: a chain of references may be longer than the call stack is deep. */
function visit(start: number, graph: DocumentGraph, underWay: Uint8Array): void {
  const stack = [start];
  for (let place = stack.at(-1); place !== undefined; place = stack.at(-1)) {
    const waiting = graph.waitingOf(place);
    if (waiting < 0) {
      stack.pop();
    } else if (underWay[waiting] === 0) {
      underWay[waiting] = 1;
      pushTargets(place, graph, underWay, stack);
    } else {
      stack.pop();
      graph.settle(place, roundAfterTargets(place, waiting, graph));
    }
  }
}

function pushTargets(place: number, graph: DocumentGraph, underWay: Uint8Array, stack: number[]): void {
  const { from, to } = edgesOf(place, graph);
  for (let edge = from; edge < to; edge++) {
    const target = graph.placeOf(graph.edges.at(edge));
    const waiting = target < 0 ? -1 : graph.waitingOf(target);
    if (waiting < 0) continue;
    if (underWay[waiting] === 1) throw new GraphProblemError({ kind: 'circle', place, target });
    stack.push(target);
  }
}

/** A descriptor that is in no file comes out ahead of everything, so it asks for no round. */
function roundAfterTargets(place: number, waiting: number, graph: DocumentGraph): number {
  let round = graph.waiting.round.at(waiting);
  const { from, to } = edgesOf(place, graph);
  for (let edge = from; edge < to; edge++) {
    const target = graph.placeOf(graph.edges.at(edge));
    if (target >= 0) round = Math.max(round, graph.roundOf(target) + (target < place ? 0 : 1));
  }
  return round;
}

function edgesOf(place: number, graph: DocumentGraph): { from: number; to: number } {
  const waiting = graph.waitingOf(place);
  if (waiting < 0) return { from: 0, to: 0 };
  const { firstEdge } = graph.waiting;
  const isLast = waiting === firstEdge.length - 1;
  return { from: firstEdge.at(waiting), to: isLast ? graph.edges.length : firstEdge.at(waiting + 1) };
}
