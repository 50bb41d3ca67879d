import type { ExampleDocument } from '../workload-module.ts';
import type { Outgoing } from './post-all.ts';
import type { Answer } from './poster.ts';

/** Some of the documents that are loaded, spread evenly over each kind, in bounded memory. */
export interface Examples {
  /** In the order of the requests, so that the same are kept whatever order the answers come in. */
  read(outgoing: Outgoing): void;
  settled(outgoing: Outgoing, answer: Pick<Answer, 'location' | 'text'>, accepted: boolean): void;
  /** The accepted ones of which the service gave an id: by kind in order of first appearance, then in order of the requests. */
  list(): ExampleDocument[];
}

/** The id comes with the answer. */
type Example = { id: string | null } & Omit<ExampleDocument, 'id'>;

interface Shelf {
  kept: Example[];
  seen: number;
  /** One of this many documents is kept. */
  stride: number;
}

const MOST_OF_A_KIND = 200;

/** Keeps between half of what the requests of a kind allow and all of that. */
export function createExamples(): Examples {
  const shelves = new Map<string, Shelf>();
  const unsettled = new Map<Outgoing, Example>();
  return {
    read(outgoing) {
      const { request, resource, name } = outgoing;
      const shelf = shelves.get(name) ?? { kept: [], seen: 0, stride: 1 };
      shelves.set(name, shelf);
      if (shelf.seen % shelf.stride === 0 && shelf.kept.length === (request.keep ?? MOST_OF_A_KIND)) {
        // A full shelf gives up every second document and from then on takes half as many.
        shelf.kept = shelf.kept.filter((_, index) => index % 2 === 0);
        shelf.stride *= 2;
      }
      if (shelf.seen++ % shelf.stride !== 0) return;
      const example = { id: null, resource, body: ownCopy(request.body) as Example['body'] };
      shelf.kept.push(example);
      unsettled.set(outgoing, example);
    },
    settled(outgoing, answer, accepted) {
      const example = unsettled.get(outgoing);
      if (example !== undefined && accepted) example.id = idOf(answer);
      unsettled.delete(outgoing);
    },
    list: () =>
      [...shelves.values()].flatMap(({ kept }) =>
        kept.flatMap(({ id, ...rest }) => (id === null ? [] : [{ id, ...rest }])),
      ),
  };
}

/** A text that was cut out of a file keeps the file's whole chunk in memory; one that was parsed again does not. */
function ownCopy(body: unknown): unknown {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
  try {
    return JSON.parse(text);
  } catch {
    return Buffer.from(text).toString();
  }
}

/** The last part of the Location header, or else the body's `id`. */
function idOf({ location, text }: Pick<Answer, 'location' | 'text'>): string | null {
  if (location !== null) return location.split('?')[0]?.split('/').pop() || null;
  return /"id"\s*:\s*(?:"([^"]+)"|(-?\d+))/.exec(text)?.slice(1).find(Boolean) ?? null;
}
