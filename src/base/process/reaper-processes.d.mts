/** A process to signal; with `group`, the whole process group that it leads. */
export interface ProcessTarget {
  pid: number;
  group: boolean;
}

export interface ProcessFacts {
  state: string;
  group: number;
  startTime: string;
}

export const hasProc: boolean;
export function readProcess(pid: number | string): ProcessFacts | null;
export function isRunning(target: ProcessTarget): boolean;
export function isSameProcess(watched: { pid: number; startTime?: string | undefined }): boolean;
export function markedBy(mark: string): number[];
export function sendSignal(target: ProcessTarget, signal: NodeJS.Signals): boolean;

export function isCertainlySame(target: { pid: number; startTime: string | undefined }): boolean;

export function identityOf(folder: string): string | undefined;

export function maybeSame(target: ProcessTarget): boolean;

export function postmasterIn(folder: string): number | undefined;
