import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import getPort from 'get-port';
import { PgsweepError } from '../../../base/errors.ts';
import { fileMode } from '../../../base/files/own-files.ts';
import { spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { sampleService } from '../../../journal/sample.ts';
import { requireDiskSpace } from './disk-space.ts';
import { type NodeFacts, nodeArguments, nodeFiles, nodeFolders } from './opensearch-node-files.ts';
import { portTaken } from './taken-port.ts';
import { waitForNode } from './wait-for-node.ts';

export interface StartedNode {
  readonly port: number;
  readonly process: WatchedProcess;
  readonly logFile: string;
}

export interface NodeStart {
  /** A fixed port, which is an error when taken. */
  readonly port: number | undefined;
  readonly logFile: string;
  readonly reaper: Reaper;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

const freePortTries = 3;
const spaceBytes = 200 * 2 ** 20;

/** Where a node answers. */
export function nodeUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/**
 * Starts a node and waits until it is this one that answers and it can make indices. A free port that someone else takes
 * first is replaced, twice. Throws PgsweepError('stack') with the log's last lines; nothing is then left running.
 */
export async function startNode(facts: Omit<NodeFacts, 'name' | 'port'>, start: NodeStart): Promise<StartedNode> {
  const { signal, logFile } = start;
  requireDiskSpace(facts.folder, spaceBytes, 'run OpenSearch', 'Free some, or point PGSWEEP_TMP to a larger disk.');
  for (let attempt = 1; ; attempt++) {
    const port = start.port ?? (await getPort({ host: '127.0.0.1' }));
    const node = { ...facts, port, name: `pgsweep-${randomUUID()}` };
    const server = await spawnNode(node, start);
    const { exited } = server;
    const ready = await waitForNode({ url: nodeUrl(port), name: node.name, exited, signal });
    if (typeof ready !== 'string') return { port, process: server, logFile };
    await server.stop({ graceMs: 2000 });
    signal?.throwIfAborted();
    const lost = server.tail().some((line) => line.includes('Address already in use'));
    if (lost && start.port !== undefined) throw portTaken('OpenSearch', port, 'it is in use');
    if (!lost || attempt === freePortTries) throw cannotStart(ready, server.tail(), facts);
  }
}

async function spawnNode(node: NodeFacts, { logFile, reaper, env }: NodeStart): Promise<WatchedProcess> {
  for (const name of nodeFolders) await mkdir(join(node.folder, name), { recursive: true });
  for (const [name, text] of Object.entries(nodeFiles(node))) await writeFile(join(node.folder, 'config', name), text);
  // The log of an earlier try says nothing about this one.
  await writeFile(logFile, '', { mode: fileMode() });
  return spawnWatched({
    command: [node.java.program, ...nodeArguments(node, process.getuid?.() === 0)],
    reaper,
    cwd: node.folder,
    // Options for the user's own Java programs are not for the node.
    env: { ...env, JAVA_TOOL_OPTIONS: undefined, _JAVA_OPTIONS: undefined, JDK_JAVA_OPTIONS: undefined },
    logFile,
    // Java prints a whole stack, with the cause in its middle.
    tailLines: 200,
  });
}

function cannotStart(why: string, log: readonly string[], { version, heapMb }: Pick<NodeFacts, 'version' | 'heapMb'>) {
  const causes = log.filter((line) => /ERROR|Exception|Error:|Caused by|Likely root cause/.test(line));
  const lines = (causes.length > 0 ? causes : log).slice(-12).map((line) => line.slice(0, 300));
  const memory = log.some((line) =>
    /Cannot allocate memory|OutOfMemoryError|Could not reserve enough space/.test(line),
  );
  return new PgsweepError('stack', `OpenSearch ${version} ${why}. Its log says:\n${lines.join('\n')}`, {
    hint: memory
      ? `There is too little memory for its heap of ${heapMb} MB: end other programs, or turn search off (${sampleService.searchOff}).`
      : `The log names the cause. To do without search: stack: { opensearch: off } and ${sampleService.searchOff}.`,
  });
}
