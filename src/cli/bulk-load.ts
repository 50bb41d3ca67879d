import { existsSync, readFileSync } from 'node:fs';
import { ExitCode, PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import type { BulkCheck, BulkRecord } from '../journal/bulk-records.ts';
import type { Provenance } from '../journal/records.ts';
import { withoutSecrets } from '../journal/run/secret-leaves.ts';
import { manyResources } from '../journal/sample.ts';
import { formatCount } from '../judge/format.ts';
import type { BulkProgress } from '../measure/load/load-generator.ts';
import { type BulkFolder, createBulkFolder, firstFailures } from '../measure/run/bulk/bulk-folder.ts';
import { type BulkLoadRun, type BulkRound, runBulkLoad } from '../measure/run/bulk/bulk-load.ts';
import { defaultRunFolder } from '../measure/run/run-folder.ts';
import { type BulkLoadOptions, bulkLoadRun } from './bulk-options.ts';
import { datasetTitle } from './dataset-title.ts';
import type { Io } from './io.ts';
import { progressFor } from './progress/progress-for.ts';
import { applyShare } from './share.ts';

/** Loads the data set, prints and writes the result. Returns the exit code. Throws PgsweepError. */
export async function bulkLoad(options: BulkLoadOptions, io: Io): Promise<ExitCode> {
  const planned = bulkLoadRun(options);
  applyShare(options);
  const startedAt = new Date();
  const folder = createBulkFolder(options.out ?? defaultRunFolder('bulk-load', startedAt));
  const run = { ...planned, folder };
  const title = datasetTitle(run.spec.dataset);
  const lines = (text: string): void => {
    if (options.json !== true) io.out(text);
  };
  const progress = progressFor(options, io);
  const rounds: BulkRound[] = [];
  let last: BulkProgress | null = null;
  let json = '';
  try {
    if (run.target.kind === 'url' && run.rounds > 1) {
      progress.on({ kind: 'warning', warning: { kind: 'loads-add-up' } });
    }
    await runBulkLoad(run, {
      emit(event) {
        if (event.kind === 'bulk-progress') last = event.progress;
        progress.on(event);
      },
      onStart() {
        progress.clear();
        lines(`Starting Measure for ${title}\n`);
      },
      onRound(round, provenance) {
        progress.clear();
        lines(`Total Time: ${timeSpan(round.result.bulk.totalMs)}\nDocuments: ${round.result.bulk.documents}\n`);
        rounds.push(round);
        last = null;
        json = resultJson({ run, rounds, provenance, startedAt });
        // After every round, so the result is kept if the next round fails.
        writeFileAtomic(folder.result, json);
      },
      signal: io.signal,
    });
  } catch (error) {
    folder.removeUnused();
    progress.clear();
    io.err(cutOffWords(folder, last, rounds.length + 1));
    throw ofCommand(error, options);
  } finally {
    progress.close();
  }
  const passed = rounds.every(isWhole);
  if (options.json) io.out(json);
  else io.out(`\n${describeBulk(rounds, await firstFailures(folder, 3))}\nresult: ${folder.path}\n`);
  return passed ? ExitCode.done : ExitCode.gate;
}

/** How far a load was when it was cut off, with the documents that were lost by then: a line, or empty where it had not begun. */
function cutOffWords({ failures }: BulkFolder, last: BulkProgress | null, round: number): string {
  const lines = existsSync(failures) ? readFileSync(failures, 'utf8').split('\n') : [];
  const lost = lines.filter((line) => line.startsWith(`{"round":${round},`)).length;
  // Progress is reported twice a second, a lost document at once.
  const documents = Math.max(last?.documents ?? 0, lost);
  if (documents === 0) return '';
  const of = last?.total ? ` of ${formatCount(last.total)}` : '';
  const rest = lost === 0 ? '' : `; ${formatCount(lost)} of them were never accepted: ${failures}`;
  return `The load was cut off after about ${formatCount(documents)}${of} documents${rest}\n`;
}

/** Error with a hint about options instead of scenario keys. */
function ofCommand(error: unknown, { baseUrl }: BulkLoadOptions): unknown {
  if (baseUrl === undefined || !(error instanceof PgsweepError) || error.code !== 'target') return error;
  const hint = 'Start the service, or name another. Without a URL, the service that comes with pgsweep is started.';
  return new PgsweepError(error.code, error.message, { hint, cause: error });
}

/** Facts of the result file. */
interface Result {
  readonly run: BulkLoadRun;
  readonly rounds: readonly BulkRound[];
  readonly provenance: Provenance;
  readonly startedAt: Date;
}

function resultJson({ run, rounds, provenance, startedAt }: Result): string {
  const { folder, stackChoice: _, ...asked } = run;
  const { masked } = withoutSecrets(asked, null);
  const whole = rounds.every(isWhole);
  const { path, failures } = folder;
  const result = { startedAt: startedAt.toISOString(), ...masked, path, failures, provenance, rounds, whole };
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** `00:01:34.0320000`: hours, minutes, seconds and seven decimals, as .NET prints a time span. */
export function timeSpan(durationMs: number): string {
  const ticks = Math.round(durationMs * 10_000);
  const seconds = Math.floor(ticks / 10_000_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const whole = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${whole}.${String(ticks % 10_000_000).padStart(7, '0')}`;
}

/** True if everything was loaded exactly once. */
export function isWhole({ result, check }: BulkRound): boolean {
  const { documents, loaded } = result.bulk;
  return loaded === documents && (check === null || Object.values(check).every((count) => count === 0));
}

/** Result of all rounds as text. Ends in a newline. */
export function describeBulk(rounds: readonly BulkRound[], failures: readonly Record<string, unknown>[]): string {
  const last = rounds.at(-1);
  if (last === undefined) return '';
  const blocks = [
    columns([
      ['round', 'documents/s', 'total s', 'loaded', 'failed', 'repeats', 'database'],
      ...rounds.map(({ round, result: { bulk }, check }) => [
        String(round),
        formatCount((bulk.loaded * 1000) / bulk.totalMs),
        (bulk.totalMs / 1000).toFixed(2),
        `${formatCount(bulk.loaded)} of ${formatCount(bulk.documents)}`,
        formatCount(bulk.documents - bulk.loaded),
        formatCount(bulk.repeats),
        describeCheck(check, bulk),
      ]),
    ]),
    columns([['resource', 'loaded', 'documents'], ...byResource(last)]),
    ...describeFailures(rounds, failures),
    rounds.every(isWhole) ? 'All documents were loaded.' : 'NOT all documents were loaded once.',
  ];
  return `${blocks.join('\n\n')}\n`;
}

function describeCheck(check: BulkCheck | null, { loaded, documents }: BulkRecord): string {
  if (check === null) return 'not seen';
  const found = Object.entries(check).filter(([, count]) => count > 0);
  if (found.length > 0) return found.map(([what, count]) => `${formatCount(count)} ${what}`).join(', ');
  return loaded === documents ? 'complete' : `the ${formatCount(loaded)} that were accepted`;
}

function byResource({ result }: BulkRound): string[][] {
  const rows = Object.entries(result.bulk.byResource);
  const many = rows.filter(([resource]) => manyResources.isOne(resource));
  const sum = (key: 'documents' | 'loaded'): number => many.reduce((total, [, counts]) => total + counts[key], 0);
  const plain = rows.filter((row) => !many.includes(row));
  return [
    ...(many.length === 0
      ? []
      : [[`${manyResources.name} (${many.length} kinds)`, formatCount(sum('loaded')), formatCount(sum('documents'))]]),
    ...plain.map(([resource, { loaded, documents }]) => [resource, formatCount(loaded), formatCount(documents)]),
  ];
}

function describeFailures(rounds: readonly BulkRound[], first: readonly Record<string, unknown>[]): string[] {
  const lines = rounds.flatMap(({ round, result }) => {
    const failed = Object.entries(result.bulk.failed).map(([status, count]) => `${formatCount(count)} by ${status}`);
    return failed.length === 0 ? [] : [`round ${round}: never accepted: ${failed.join(', ')}`];
  });
  if (lines.length === 0) return [];
  const examples = first.map(
    ({ resource, identity, status, message }) =>
      `  ${resource} ${JSON.stringify(identity)}: ${status}: ${String(message).slice(0, 200)}`,
  );
  return [[...lines, ...examples, '  All of them stand in failures.jsonl.'].join('\n')];
}

/** Rows as aligned columns: words to the left, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const isText = (index: number): boolean =>
    rows.slice(1).some((row) => !/^[\d,.]+( of [\d,]+)?$/.test(row[index] ?? ''));
  return rows
    .map((row) =>
      row
        .map((cell, index) => (isText(index) ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
