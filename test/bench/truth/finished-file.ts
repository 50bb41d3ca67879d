import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../src/base/files/atomic-file.ts';
import type { Finished } from './judged.ts';

/** The file of a bench that may be stopped and continued: a line a finished planting. */
interface FinishedFile {
  /** The planting's line; undefined where it is not finished. */
  of(name: string): Finished | undefined;
  /** Keeps a line, in place of an older one of the same planting. */
  add(line: Finished): void;
}

/** Opens the file in a folder, which is made where it is missing. */
export function openFinished(folder: string): FinishedFile {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'plantings.jsonl');
  const texts = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const lines = new Map(texts.map((text) => JSON.parse(text) as Finished).map((line) => [line.planting, line]));
  return {
    of: (name) => lines.get(name),
    add(line) {
      lines.set(line.planting, line);
      writeFileAtomic(file, Array.from(lines.values(), (one) => `${JSON.stringify(one)}\n`).join(''));
    },
  };
}
