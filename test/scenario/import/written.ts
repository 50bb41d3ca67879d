import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import type { RequestSpec, ResolvedScenario, WorkloadSpec } from '../../../src/journal/scenario-record.ts';
import { type ImportOptions, mixFrom } from '../../../src/scenario/import/import.ts';
import type { Mix } from '../../../src/scenario/import/mix.ts';
import { variablesOf, writtenMix } from '../../../src/scenario/import/write.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

export interface Imported {
  readonly mix: Mix;
  readonly text: string;
  readonly scenario: ResolvedScenario;
  readonly requests: readonly RequestSpec[];
}

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-from-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file in a folder of its own, until the tests of the file that imports this are over. */
export function fileOf(name: string, text: string): string {
  const file = join(mkdtempSync(join(folder, 'source-')), name);
  writeFileSync(file, text);
  return file;
}

/** What a source becomes: the scenario as it is written, and as it is then loaded, with `secret-value` for every secret. */
export async function imported(file: string, options: ImportOptions = {}): Promise<Imported> {
  const mix = await mixFrom(file, options);
  const text = writtenMix(mix, file);
  for (const name of variablesOf(mix)) vi.stubEnv(name, 'secret-value');
  const scenario = parseScenario(text, 'mix.yaml');
  vi.unstubAllEnvs();
  return { mix, text, scenario, requests: requestsOf(scenario.load.workload) };
}

/** The requests of a script without their pauses. */
function requestsOf(workload: WorkloadSpec): readonly RequestSpec[] {
  if (workload.kind === 'requests') return workload.requests;
  if (workload.kind !== 'script') throw new Error(`a workload of ${workload.kind}`);
  return workload.parts.flatMap((part) => {
    const ways = part.kind === 'step' ? [{ weight: 1, steps: [part.step] }] : part.ways;
    return ways.flatMap(({ weight, steps }) => steps.map(({ think: _, ...request }) => ({ ...request, weight })));
  });
}

/** The same for a text. */
export function importedText(name: string, text: string, options: ImportOptions = {}): Promise<Imported> {
  return imported(fileOf(name, text), options);
}

/** The error of a source that cannot be read, without the folder. */
export async function mistakeOf(name: string, text: string, options: ImportOptions = {}): Promise<string> {
  const error = await mixFrom(fileOf(name, text), options).then(
    () => null,
    (found: unknown) => found,
  );
  expect(error).toMatchObject({ name: 'PgsweepError', exitCode: 2 });
  return (error as Error).message.replaceAll(/^\S*\/(?=[^/\s]+)/gm, '');
}

/** A HAR of these requests, a second apart. */
export function har(entries: readonly HarRequest[]): string {
  return JSON.stringify({ log: { entries: entries.map(harEntry) } });
}

export interface HarRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: unknown;
  readonly status?: number;
}

function harEntry({ method = 'GET', url, headers = {}, type, body, status = 200 }: HarRequest, index: number): object {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    startedDateTime: new Date(Date.UTC(2026, 0, 31) + 1000 * index).toISOString(),
    time: 5,
    request: {
      method,
      url: url.startsWith('/') ? `http://127.0.0.1:3000${url}` : url,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      ...(body !== undefined && { postData: { mimeType: type ?? 'application/json', text } }),
    },
    response: { status },
  };
}
