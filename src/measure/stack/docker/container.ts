import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileMode } from '../../../base/files/own-files.ts';
import { type ProcessExit, spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import { readFileTail } from '../../../base/process/child-process-tail.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { docker, dockerOutput } from './engine.ts';

/** A container that has been started, and what is watched of it. */
export interface WatchedContainer {
  readonly id: string;
  /** As this machine's processes have it, and null where it is not one of them: in a virtual machine, or far away. */
  readonly pid: number | null;
  /** `/docker/4f1c...` */
  readonly cgroup: string | null;
  /** Settles when the container ends. */
  readonly exited: Promise<ProcessExit>;
  readonly logFile: string;
  /** The last lines of its log, however it ended. */
  tail(lines: number): Promise<string[]>;
  /** Ends the watching, not the container. */
  close(): Promise<void>;
}

/** Follows a container: its log into a file, in place of what is there, and its end. */
export async function watchContainer(name: string, logFile: string, reaper: Reaper): Promise<WatchedContainer> {
  await writeFile(logFile, '', { mode: fileMode() });
  const [id = '', pid = '0'] = (await docker(['inspect', '--format', '{{.Id}} {{.State.Pid}}', name])).split(' ');
  const [waiting, following] = await Promise.all([
    spawnWatched({ command: ['docker', 'wait', id], reaper }),
    spawnWatched({ command: ['docker', 'logs', '--follow', id], reaper, logFile }),
  ]);
  const cgroup = cgroupOf(Number(pid), id);
  return {
    id,
    pid: cgroup === null ? null : Number(pid),
    cgroup,
    exited: exitOf(waiting),
    logFile,
    async tail(lines) {
      const output = await dockerOutput(['logs', '--tail', String(lines), id]).catch(() => null);
      // The file is all that is left of a container that has gone.
      if (output === null) return readFileTail(logFile, lines);
      return `${output.stdout}${output.stderr}`.trimEnd().split('\n').slice(-lines);
    },
    async close() {
      await Promise.all([waiting.stop({ graceMs: 500 }), following.stop({ graceMs: 500 })]);
    },
  };
}

/** `docker wait` prints the container's exit code when it ends. */
async function exitOf(waiting: WatchedProcess): Promise<ProcessExit> {
  const { code, signal } = await waiting.exited;
  const printed = code === 0 ? Number(waiting.tail().at(-1)) : Number.NaN;
  return Number.isInteger(printed) ? { code: printed, signal: null } : { code: null, signal };
}

/**
 * The control group of a process of this machine that is of the container: by the container's id in it, since the pid of
 * a container in a virtual machine may be any process here. Null where it is not.
 */
function cgroupOf(pid: number, id: string): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    const paths = text.split('\n').map((line) => line.split(':').slice(2).join(':'));
    return paths.find((path) => path.includes(id)) ?? null;
  } catch {
    return null;
  }
}
