import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generateTemplate } from '../../scenarios/services/documents/dataset/documents-of.ts';
import { readEdFiFolder } from '../../scenarios/services/documents/dataset/edfi-xml/read-folder.ts';
import { writeEdFiFolder } from '../fixtures/edfi-writer.ts';
import type { Goal } from './goal.ts';

/** What a Southridge document is in XML, measured; the folder is as large as asked for to a few percent. */
const BYTES_PER_DOCUMENT = 1060;

interface Measured {
  readonly documents: number;
  readonly indexMs: number;
  readonly totalMs: number;
  readonly peakBytes: number;
}

/** A folder of a gigabyte of Ed-Fi XML is read by a process of its own, and its peak resident memory taken. */
export async function benchLargeEdFi(bytesWanted = 1e9): Promise<Goal[]> {
  const free = statfsSync(tmpdir());
  if (free.bavail * free.bsize < bytesWanted * 1.5) throw new Error(`no room for ${bytesWanted} bytes in ${tmpdir()}`);
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-large-edfi-'));
  try {
    const documents = Math.round(bytesWanted / BYTES_PER_DOCUMENT);
    const spec = { kind: 'template', template: 'southridge', documents, seed: 1 } as const;
    const bytes = writeEdFiFolder(folder, generateTemplate(spec));
    const args = ['--import', './src/base/typescript.mjs', import.meta.filename, folder];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const measured = JSON.parse(stdout) as Measured;
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;
    const { indexMs, totalMs, peakBytes } = measured;
    const size = `${(bytes / 1e6).toFixed(0)} MB, ${measured.documents} documents`;
    return [
      {
        name: 'peak memory of reading a folder of 1 GB of Ed-Fi XML',
        measured: `${(peakBytes / 1e6).toFixed(0)} MB (${size}; ${seconds(totalMs)}, ${seconds(indexMs)} of it ahead of the first)`,
        goal: '< 300 MB',
        reached: peakBytes < 300e6 && measured.documents === documents,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The process of its own: reads a folder and drops what it reads. */
async function measure(folder: string): Promise<Measured> {
  const start = performance.now();
  let indexMs = 0;
  let documents = 0;
  const onIndexed = (): void => {
    indexMs = performance.now() - start;
  };
  for await (const _ of readEdFiFolder(folder, { onIndexed })) documents++;
  const totalMs = performance.now() - start;
  return { documents, indexMs, totalMs, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

const [, main, folder] = process.argv;
if (folder !== undefined && main !== undefined && import.meta.url === pathToFileURL(main).href) {
  console.log(JSON.stringify(await measure(folder)));
}
