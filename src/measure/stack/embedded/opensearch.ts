import { join } from 'node:path';
import { once } from '../../../base/async/once.ts';
import { readFileTail } from '../../../base/process/child-process-tail.ts';
import type { OpenSearchOptions, StartedOpenSearch } from '../common/opensearch.ts';
import type { NodeFacts } from '../common/opensearch-node-files.ts';
import { makeServerFolder, type ServerFolder } from '../common/server-folder.ts';
import { nodeUrl, type StartedNode, startNode } from '../common/start-opensearch.ts';
import { refuseTakenPort } from '../common/taken-port.ts';
import { findJava } from './find-java.ts';
import { setUpOpenSearch } from './opensearch-set-up.ts';
import { imageNeedsDocker } from './postgres.ts';

const defaultHeapMb = 512;

/** Its Java is always a process of this machine. */
export type EmbeddedOpenSearch = StartedOpenSearch & { readonly pid: number };

/**
 * Starts its own OpenSearch node on 127.0.0.1, with its data in a temporary folder; the first time, the release is
 * fetched from Maven Central. Throws PgsweepError('stack') saying what to do; nothing is then left running or on disk.
 */
export async function startEmbeddedOpenSearch(options: OpenSearchOptions): Promise<EmbeddedOpenSearch> {
  if (options.image !== undefined) throw imageNeedsDocker(options.image);
  const { reaper, signal, env = process.env, onProgress = () => {}, heapMb = defaultHeapMb } = options;
  const { java, version } = await findJava({ env, version: options.version, folders: options.javaFolders });
  if (options.port !== undefined) await refuseTakenPort('OpenSearch', options.port);
  const home = await setUpOpenSearch({ version, reaper, env, onProgress, signal });
  signal?.throwIfAborted();
  const folder = await makeServerFolder(undefined, reaper, 'OpenSearch');
  try {
    onProgress(`starting OpenSearch ${version} (embedded, Java ${java.major}, heap ${heapMb} MB)`);
    const facts = { home, folder: folder.path, version, java, heapMb };
    const logFile = options.logFile ?? join(folder.path, 'opensearch.log');
    const node = await startNode(facts, { port: options.port, logFile, reaper, env, signal });
    onProgress(`OpenSearch ${version} is ready on port ${node.port}`);
    return started(node, facts, folder);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function started(
  { port, process, logFile }: StartedNode,
  { version, java, heapMb }: Pick<NodeFacts, 'version' | 'java' | 'heapMb'>,
  folder: ServerFolder,
): EmbeddedOpenSearch {
  const stopAll = async (): Promise<void> => {
    // What it would write to disk in a longer farewell is thrown away by the next line.
    await process.stop({ graceMs: 5000 });
    await folder.remove();
  };
  const stop = once(stopAll);
  return {
    kind: 'embedded',
    version,
    java: `Java ${java.major}`,
    heapMb,
    url: nodeUrl(port),
    pid: process.pid,
    logFile,
    exited: process.exited,
    logTail: async (lines = 40) => readFileTail(logFile, lines).join('\n'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
