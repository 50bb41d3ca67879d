import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import getPort from 'get-port';
import { once } from '../../../base/async/once.ts';
import { PgsweepError } from '../../../base/errors.ts';
import { requireDockerSpace } from '../common/disk-space.ts';
import type { OpenSearchOptions, StartedOpenSearch } from '../common/opensearch.ts';
import type { OpenSearchFacts } from '../common/opensearch-facts.ts';
import { makeServerFolder } from '../common/server-folder.ts';
import { nodeUrl } from '../common/start-opensearch.ts';
import { portTaken, refuseTakenPort } from '../common/taken-port.ts';
import { waitForNode } from '../common/wait-for-node.ts';
import { composeProject, limitVariables } from './compose.ts';
import { type WatchedContainer, watchContainer } from './container.ts';
import type { DockerEngine } from './engine.ts';
import { ensureImage, openSearchImage } from './image.ts';

const defaultHeapMb = 512;

/** Starts OpenSearch in a container. Throws PgsweepError('stack') saying what to do; nothing is then left running. */
export async function startDockerOpenSearch(
  engine: DockerEngine,
  options: OpenSearchOptions,
): Promise<StartedOpenSearch> {
  const { reaper, signal, onProgress = () => {}, heapMb = defaultHeapMb, limits = {} } = options;
  if (options.port !== undefined) await refuseTakenPort('OpenSearch', options.port);
  requireDockerSpace(engine, 'run OpenSearch');
  const image = await ensureImage(openSearchImage(options), { reaper, onProgress, signal });
  const folder = await makeServerFolder(undefined, reaper, 'OpenSearch');
  const project = composeProject(engine, 'opensearch', reaper);
  const remove = async (): Promise<void> => {
    await project.remove();
    await folder.remove();
  };
  try {
    onProgress(`starting OpenSearch (container of ${image.name}, heap ${heapMb} MB)`);
    const port = options.port ?? (await getPort({ host: '127.0.0.1' }));
    const name = `pgsweep-${randomUUID()}`;
    await project.up({
      PGSWEEP_OPENSEARCH_IMAGE: image.name,
      PGSWEEP_OPENSEARCH_PORT: String(port),
      PGSWEEP_OPENSEARCH_NAME: name,
      PGSWEEP_OPENSEARCH_HEAP: `${heapMb}m`,
      ...limitVariables('opensearch', limits),
    });
    const container = await watchContainer(
      project.container,
      options.logFile ?? join(folder.path, 'opensearch.log'),
      reaper,
    );
    const { exited } = container;
    const facts = await waitForNode({ url: nodeUrl(port), name, exited, signal, redLimitMs: options.redLimitMs });
    if (typeof facts === 'string') {
      const log = await container.tail(200);
      await container.close();
      signal?.throwIfAborted();
      throw notReady(facts, log, port);
    }
    onProgress(`OpenSearch ${facts.version} is ready on port ${port} (container)`);
    return started(container, facts, port, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

function notReady(why: string, log: readonly string[], port: number): PgsweepError {
  if (log.some((line) => /Address already in use/.test(line))) return portTaken('OpenSearch', port, 'it is in use');
  const causes = log.filter((line) => /ERROR|Exception|Error:|Caused by/.test(line));
  const lines = (causes.length > 0 ? causes : log).slice(-12).map((line) => line.slice(0, 300));
  const cause = /^ended/.test(why)
    ? 'The log names the cause; often memory: see stack.opensearch.heap and memory.'
    : 'Does the image start by hand? docker compose -f docker/compose.yaml up opensearch. See stack.opensearch.image.';
  const hint = `${cause} To do without: --stack embedded`;
  return new PgsweepError('stack', `OpenSearch in its container ${why}. Its log says:\n${lines.join('\n')}`, { hint });
}

function started(
  container: WatchedContainer,
  { version, java, heapMb }: OpenSearchFacts,
  port: number,
  remove: () => Promise<void>,
): StartedOpenSearch {
  const stop = once(() => remove().then(() => container.close()));
  return {
    kind: 'docker',
    version,
    java,
    heapMb,
    url: nodeUrl(port),
    pid: container.pid,
    ...(container.cgroup !== null && { cgroup: container.cgroup }),
    logFile: container.logFile,
    exited: container.exited,
    logTail: async (lines = 40) => (await container.tail(lines)).join('\n'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
