import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its command line. */
  readonly args: string;
}

/** What runs on this machine, without zombies. By /proc where there is one: a slim system has no `ps`. */
export function runningProcesses(): RunningProcess[] {
  return process.platform === 'linux' ? byProc() : byPs();
}

/** What a process has started, and what that has started. */
export function descendantsOf(pid: number, all: readonly RunningProcess[] = runningProcesses()): RunningProcess[] {
  return all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

function byProc(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The program's name, in brackets, may hold anything.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), args }];
      } catch {
        // It has ended since the folder was read.
        return [];
      }
    });
}

function byPs(): RunningProcess[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, state = '', args = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return state === '' || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
}
