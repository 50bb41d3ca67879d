import { ask, describeReply, isOk } from '../../../base/ask.ts';

/** Facts that a node reports about itself. */
export interface OpenSearchFacts {
  readonly name: string;
  /** `2.19.6` */
  readonly version: string;
  /** `green`, `yellow` or `red`. */
  readonly health: string;
  /** `Java 17` */
  readonly java: string;
  readonly heapMb: number;
}

const answerLimitMs = 5000;

/** Asks the node at a URL. Throws an Error with what it answers. */
export async function readOpenSearchFacts(url: string): Promise<OpenSearchFacts> {
  const about = await read<{ name?: string; version?: { number?: string } }>(url, '/');
  if (about.version?.number === undefined) throw new Error('what answers is no OpenSearch');
  // As this node has it: one that finds no cluster manager would wait for it.
  const health = await read<{ status?: string }>(url, '/_cluster/health?local=true');
  const { nodes = {} } = await read<{ nodes?: Record<string, { jvm?: { version?: string; mem?: Heap } }> }>(
    url,
    '/_nodes/_local/jvm',
  );
  const jvm = Object.values(nodes)[0]?.jvm;
  return {
    name: about.name ?? '',
    version: about.version.number,
    health: health.status ?? 'unknown',
    java: `Java ${jvm?.version?.split('.')[0] ?? 'unknown'}`,
    heapMb: Math.round((jvm?.mem?.heap_max_in_bytes ?? 0) / 2 ** 20),
  };
}

interface Heap {
  readonly heap_max_in_bytes?: number;
}

async function read<T>(url: string, path: string): Promise<T> {
  const answer = await ask(new URL(path, url).href, { signal: AbortSignal.timeout(answerLimitMs) });
  if (!isOk(answer)) throw new Error(`${path} ${describeReply(answer)}: ${answer.text.slice(0, 300)}`);
  return JSON.parse(answer.text) as T;
}
