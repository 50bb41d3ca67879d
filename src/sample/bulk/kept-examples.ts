import type { ExampleDocument } from '../../measure/load/workload-module.ts';
import { createExamples } from '../dataset/examples.ts';
import type { Document } from '../dataset/types.ts';
import type { Outgoing } from './post-all.ts';
import type { Answer } from './poster.ts';

/** Some of the documents that were loaded, in bounded memory. */
export interface KeptExamples {
  /** In the order of the data set, so that the same are kept whatever order the answers come in. */
  read(outgoing: Outgoing): void;
  settled(outgoing: Outgoing, answer: Answer, accepted: boolean): void;
  list(): ExampleDocument[];
}

interface Example extends Document {
  /** Filled when the answer has come; an object, since what is kept is a copy of the example. */
  readonly settled: { id: string | null };
}

export function createKeptExamples(): KeptExamples {
  const examples = createExamples<Example>();
  const unsettled = new Map<Outgoing, Example>();
  return {
    read(outgoing) {
      const example = { ...outgoing.document, settled: { id: null } };
      unsettled.set(outgoing, example);
      examples.add(example, outgoing.description.isDescriptor);
    },
    settled(outgoing, answer, accepted) {
      const example = unsettled.get(outgoing);
      unsettled.delete(outgoing);
      if (example && accepted) example.settled.id = idOf(answer);
    },
    list: () =>
      examples.list().flatMap(({ settled: { id }, resource, body }) => (id === null ? [] : [{ id, resource, body }])),
  };
}

/** The last part of the Location header, or else the body's `id`. */
function idOf({ location, text }: Answer): string | null {
  if (location !== null) return location.split('?')[0]?.split('/').pop() || null;
  return /"id"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? null;
}
