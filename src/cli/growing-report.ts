import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import { readJournal } from '../journal/journal.ts';
import { aggregateRun } from '../judge/read/aggregate-run.ts';
import { type Summary, summarize } from '../judge/summary.ts';
import type { Asked } from '../judge/verdicts/asked.ts';
import type { RunEvent } from '../measure/run/events.ts';
import type { RunFolder } from '../measure/run/run-folder.ts';
import { html } from '../report/formats.ts';
import { reportContent } from '../report/write-report.ts';

/** Share of a run's time that its reports may take while it is under way. */
const MOST_SHARE = 0.02;
/** Until the length of a round is known, and never more often than this. */
const [FIRST_S, LEAST_S] = [30, 5];

/** Writes the page of a run while it is under way: it is never in doubt what the rounds so far say. */
export interface GrowingReport {
  /** Listens to the run. Writes between rounds alone, when no arm is under load. */
  on(event: RunEvent): void;
  /** Removes the page that it has written if that has no round. */
  close(): void;
}

/**
 * Writes the report as far as it can: a file that cannot be written is left, since the journal has it, and its own error says so.
 * `seen` gets what each page with a round says.
 */
export function createGrowingReport(
  { path, journal }: Pick<RunFolder, 'path' | 'journal'>,
  gates: Asked,
  { mostShare = MOST_SHARE, seen = (_: Summary): void => {} } = {},
): GrowingReport {
  const file = join(path, html.file);
  let everyS = FIRST_S;
  let [lastMs, costMs] = [performance.now(), 0];
  let rounds = 0;
  // A user's own file, or the page of the session that is resumed: without a round there is nothing to put in its place.
  const isThere = existsSync(file);
  const write = (): void => {
    const startMs = performance.now();
    // Always written: the first page, so that its path can be opened, and the first with a round, which may show all there is to see.
    if (rounds > 0 && costMs > mostShare * (startMs - lastMs)) return;
    try {
      const read = readJournal(journal);
      const data = aggregateRun(read);
      const summary = summarize(read, data, gates);
      const underWay = { at: new Date().toTimeString().slice(0, 8), everyS };
      rounds = summary.run.rounds;
      if (rounds === 0 && isThere) return;
      writeFileAtomic(file, html.render(reportContent(path, data, summary, underWay)));
      if (rounds > 0) seen(summary);
    } catch {}
    lastMs = performance.now();
    costMs = lastMs - startMs;
  };
  return {
    on(event) {
      if (event.kind === 'round-ended') everyS = Math.max(LEAST_S, Math.ceil(event.durationMs / 1000));
      if (event.kind === 'round-ended' || event.kind === 'run-started') write();
    },
    close() {
      if (rounds === 0 && !isThere) rmSync(file, { force: true });
    },
  };
}
