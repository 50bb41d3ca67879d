import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { OpenSearchOptions, StartedOpenSearch } from '../common/opensearch.ts';
import { type OpenSearchFacts, readOpenSearchFacts } from '../common/opensearch-facts.ts';

/** An OpenSearch that pgsweep does not run; `stop` stops nothing. Throws PgsweepError `usage` for a wrong URL, `stack` where it cannot be used. */
export async function openExternalOpenSearch(
  url: string,
  { onProgress = () => {} }: Pick<OpenSearchOptions, 'onProgress'> = {},
): Promise<StartedOpenSearch> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new PgsweepError('usage', '--opensearch: expected a URL such as http://127.0.0.1:9200');
  }
  const { host, origin } = new URL(url);
  const facts = await factsOf(url, host);
  if (facts.health === 'red') {
    throw new PgsweepError('stack', `the OpenSearch on ${host} is unhealthy: its state is red`, {
      hint: 'GET /_cluster/allocation/explain says which index has lost its data; delete or restore it.',
    });
  }
  onProgress(`OpenSearch ${facts.version} answers on ${host} (external)`);
  const stop = async (): Promise<void> => {};
  return {
    kind: 'external',
    version: facts.version,
    java: facts.java,
    heapMb: facts.heapMb,
    url: origin,
    pid: null,
    logFile: '',
    exited: new Promise(() => {}),
    logTail: async () => 'the log of an external node is its own',
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function factsOf(url: string, host: string): Promise<OpenSearchFacts> {
  try {
    return await readOpenSearchFacts(url);
  } catch (cause) {
    const why = cause instanceof Error && cause.cause !== undefined ? messageOf(cause.cause) : messageOf(cause);
    throw new PgsweepError('stack', `cannot use the OpenSearch on ${host}: ${why}`, {
      hint: 'Does it run there, without TLS and password? To have one started: --stack embedded',
      cause,
    });
  }
}
