import { randomBytes } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf } from '../json-path.ts';
import { ledgerFolders, writableLedgerFolders } from './ledger-folders.ts';
import { bootId } from './read-proc.ts';
import { hasProc, isRunning, isSameProcess, readProcess } from './reaper-processes.mjs';

/**
 * Everything that a bench has started and not yet ended, on disk. If bench and guard are both killed, `pgsweep clean` finds
 * here what they left. The guard removes it when all is ended. It holds no password: `pgsweep clean` asks for an external
 * server's.
 */
export interface Ledger {
  readonly file: string;
  add(message: object): void;
}

/** The first line of a ledger. */
interface LedgerHead {
  readonly pid: number;
  readonly startTime: string | undefined;
  /** The machine has not been started again since. */
  readonly boot: string;
  /** The run folder; null where there is none. */
  readonly run: string | null;
}

/** A ledger whose bench is gone. */
export interface LeftLedger {
  readonly file: string;
  readonly run: string | null;
  readonly messages: readonly string[];
  /** False after a restart of the machine, where the system numbers these: then its processes are others'. */
  readonly sameBoot: boolean;
}

/** Begins a ledger; null where no folder of the user can be written and trusted: a run needs none. */
export function openLedger(run: string | null): Ledger | null {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}.jsonl`;
  for (const folder of writableLedgerFolders()) {
    const ledger = ledgerIn(join(folder, name), run);
    if (ledger !== null) return ledger;
  }
  return null;
}

function ledgerIn(file: string, run: string | null): Ledger | null {
  const write = (value: object): void => appendFileSync(file, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  const head: LedgerHead = { pid: process.pid, startTime: readProcess(process.pid)?.startTime, boot: bootId(), run };
  try {
    write(head);
  } catch {
    return null;
  }
  return {
    file,
    add(message) {
      try {
        write(message);
      } catch {
        // A full disk: the guard knows it all the same.
      }
    },
  };
}

/**
 * The ledgers of benches that are gone, of one run folder or of all; none from a folder that another user can write to, since
 * commands in them are run.
 */
export function leftLedgers(run?: string): LeftLedger[] {
  return ledgers(run).flatMap(({ file, head, messages, sameBoot }) =>
    sameBoot && runs(head) ? [] : [{ file, run: head.run, messages, sameBoot }],
  );
}

interface ReadLedger extends Omit<LeftLedger, 'run'> {
  readonly head: LedgerHead;
}

function ledgers(run?: string): ReadLedger[] {
  return ledgerFolders()
    .flatMap(filesIn)
    .flatMap((file) => {
      const [first = '', ...messages] = textOf(file)
        .split('\n')
        .filter((line) => line !== '');
      const head = headOf(first);
      if (head === null || (run !== undefined && !isSameFolder(head.run, run))) return [];
      const boot = bootId();
      return [{ file, head, messages, sameBoot: head.boot === boot || head.boot === '' || boot === '' }];
    });
}

/** Under whatever name: there may be links on the way to it. */
function isSameFolder(before: string | null, now: string): boolean {
  return before !== null && (before === now || realPath(before) === realPath(now));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Empty where it is gone: a guard may be removing it at this moment. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^\d+-[0-9a-f]{12}\.jsonl$/.test(name));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function headOf(line: string): LedgerHead | null {
  const head = jsonOf(line) as Partial<LedgerHead> | null | undefined;
  return Number.isSafeInteger(head?.pid) && typeof head?.boot === 'string' ? (head as LedgerHead) : null;
}

/** True if this process runs still, and is no other of that number. A zombie does not run. */
export function runs({ pid, startTime }: Pick<LedgerHead, 'pid' | 'startTime'>): boolean {
  const isThere = !hasProc || readProcess(pid) !== null;
  return isThere && isRunning({ pid, group: false }) && isSameProcess({ pid, startTime });
}
