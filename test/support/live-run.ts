import { resolve } from 'node:path';
import { warningLine } from '../../src/cli/progress/warning-words.ts';
import { createRunFolder, type RunFolder, runFolderAt } from '../../src/measure/run/run-folder.ts';
import { runSession, type SessionOptions } from '../../src/measure/run/session.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';

export interface LiveRun {
  /** A scenario in YAML. */
  readonly text: string;
  /** The file that it stands for: paths in it are taken from this file's folder. */
  readonly file: string;
  /** Of the run. */
  readonly path: string;
}

/** Makes a real session with the servers of this machine, as `pgsweep sweep` does, or goes on with one (`resume`), and returns its folder. */
export async function runLive(
  { text, file, path }: LiveRun,
  changes: Partial<SessionOptions> = {},
): Promise<RunFolder> {
  const folder = changes.resume ? runFolderAt(path) : createRunFolder(path);
  await runSession({
    scenario: parseScenario(text, resolve(file)),
    seed: 1,
    quick: false,
    folder,
    intervalMs: 5000,
    resume: null,
    stackChoice: { kind: 'embedded' },
    decideStop: () => ({ stop: false, undecided: 1 }),
    emit(event) {
      if (event.kind === 'warning') console.error(warningLine(event.warning));
    },
    signal: new AbortController().signal,
    ...changes,
  });
  return folder;
}
