import type { ExampleDocument } from './workload-module.ts';

/** So many urls are remembered: more than a round has arms, and few enough to forget those of earlier rounds. */
const MOST_URLS = 32;

/** What bulk loads have put into each service, for the workloads that come after them. */
export interface LoadedDocuments {
  remember(url: string, documents: readonly ExampleDocument[]): void;
  /** Undefined where nothing was loaded there. */
  of(url: string): readonly ExampleDocument[] | undefined;
}

export function createLoadedDocuments(): LoadedDocuments {
  const byUrl = new Map<string, readonly ExampleDocument[]>();
  return {
    remember(url, documents) {
      byUrl.delete(url);
      byUrl.set(url, documents);
      const [oldest] = byUrl.keys();
      if (byUrl.size > MOST_URLS && oldest !== undefined) byUrl.delete(oldest);
    },
    of: (url) => byUrl.get(url),
  };
}
