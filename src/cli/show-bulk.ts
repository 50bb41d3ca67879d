import type { BulkCheck } from '../journal/bulk-records.ts';
import { formatCount } from '../judge/format.ts';
import type { BulkRound } from '../measure/run/bulk/bulk-load.ts';

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
        describeCheck(check),
      ]),
    ]),
    columns([['resource', 'loaded', 'documents'], ...byResource(last)]),
    ...describeFailures(rounds, failures),
    rounds.every(isWhole) ? 'All documents were loaded.' : 'NOT all documents were loaded once.',
  ];
  return `${blocks.join('\n\n')}\n`;
}

function describeCheck(check: BulkCheck | null): string {
  if (check === null) return 'not seen';
  const found = Object.entries(check).filter(([, count]) => count > 0);
  return found.length === 0 ? 'complete' : found.map(([what, count]) => `${formatCount(count)} ${what}`).join(', ');
}

/** Descriptors are one line: there are 200 kinds of them. */
function byResource({ result }: BulkRound): string[][] {
  const rows = Object.entries(result.bulk.byResource);
  const descriptors = rows.filter(([resource]) => resource.endsWith('Descriptors'));
  const sum = (key: 'documents' | 'loaded'): number =>
    descriptors.reduce((total, [, counts]) => total + counts[key], 0);
  const plain = rows.filter((row) => !descriptors.includes(row));
  return [
    ...(descriptors.length === 0
      ? []
      : [[`descriptors (${descriptors.length} kinds)`, formatCount(sum('loaded')), formatCount(sum('documents'))]]),
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

/** The first column to the left, the last of words too, numbers to the right. */
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
