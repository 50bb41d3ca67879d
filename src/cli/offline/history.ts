import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { messageOf, PgsweepError } from '../../base/errors.ts';
import { readTextUpTo } from '../../base/files/read-text.ts';
import { shellWord } from '../../base/shell-word.ts';
import { completeRounds, readJournal } from '../../journal/journal.ts';
import { type MeasuredCommit, pointOf, shortCommit } from '../../judge/history/history-point.ts';
import { historySeries } from '../../judge/history/history-series.ts';
import {
  addToHistory,
  findCommit,
  type HistoryPlace,
  historyName,
  readHistory,
} from '../../judge/history/history-store.ts';
import type { Summary } from '../../judge/summary.ts';
import { runFolderAt } from '../../measure/run/run-folder.ts';
import { historyJson, historyText } from '../../report/history-plot.ts';
import type { Io } from '../io.ts';

const DEFAULT_FILE = 'pgsweep-history.jsonl';

interface PlaceOptions {
  readonly file?: string;
  readonly ref?: string;
}

export function historyCommand(io: Io): Command {
  return new Command('history')
    .addCommand(addCommand(io))
    .addCommand(showCommand(io))
    .addHelpText(
      'after',
      '\nExamples:\n  pgsweep history add results/pool-size-2026-01-31T10-00-00\n  pgsweep history show --metric latency_p95_ms --load 25',
    );
}

function addCommand(io: Io): Command {
  return withPlace(new Command('add'))
    .description('add a run to the history')
    .argument('<run>', 'run folder')
    .option('--commit <revision>', 'the measured commit (default: the commit that the run recorded)')
    .addHelpText(
      'after',
      '\nExamples:\n  pgsweep history add results/pool-size-2026-01-31T10-00-00\n  pgsweep history add results/latest --commit v1.4.0 --ref refs/pgsweep/history',
    )
    .action((run: string, options: PlaceOptions & { readonly commit?: string }) => {
      const summary = summaryOf(run);
      requireCurrent(run, summary);
      const place = historyPlace(options);
      const point = pointOf(summary, commitOf(options.commit ?? null, summary));
      addToHistory(place, point);
      io.out(`${point.run}, commit ${shortCommit(point.commit)}, added to ${historyName(place)}\n`);
    });
}

interface ShowOptions extends PlaceOptions {
  readonly metric: string;
  readonly variant?: string;
  readonly load?: string;
  readonly scenario?: string;
  readonly change?: boolean;
  readonly json?: boolean;
}

function showCommand(io: Io): Command {
  return withPlace(new Command('show'))
    .description('draw a metric over commits, and name the commits where it changed')
    .option('--metric <name>', 'a name from averages.csv', 'requests_per_s')
    .option('--variant <name>', 'variant to show (default: branch, else the control)')
    .option('--load <level>', 'load level to show, such as 25 (default: the last)')
    .option('--scenario <name>', 'scenario to show (default: from the last run)')
    .option('--change', 'show the change against the control instead of the metric: drift of the machine cancels out')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  pgsweep history show\n  pgsweep history show --metric latency_p95_ms --load 25\n  pgsweep history show --variant pool=25 --change --json',
    )
    .action((options: ShowOptions) => {
      const { metric, variant = null, load = null, scenario = null, change = false } = options;
      const history = readHistory(historyPlace(options));
      const series = historySeries(history, { metric, variant, load, scenario, change });
      io.out(options.json ? historyJson(series) : historyText(series, io.outWidthColumns));
    });
}

function withPlace(command: Command): Command {
  return command
    .addOption(new Option('--file <file>', `history file, JSON Lines (default: ${DEFAULT_FILE})`).conflicts('ref'))
    .option(
      '--ref <ref>',
      'keep the history in a git ref instead, such as refs/pgsweep/history; push and fetch it like any other',
    );
}

function historyPlace({ file, ref }: PlaceOptions): HistoryPlace {
  return ref === undefined ? { file: file ?? DEFAULT_FILE } : { ref };
}

const MOST_BYTES = 64 * 1024 * 1024;

function summaryOf(run: string): Summary {
  const file = join(run, 'summary.json');
  try {
    const summary = JSON.parse(readTextUpTo(file, MOST_BYTES)) as Summary;
    if (summary.version !== 2) throw new Error(`it is of version ${summary.version}`);
    return summary;
  } catch (cause) {
    throw new PgsweepError('usage', `${file} cannot be read: ${messageOf(cause)}`, {
      hint: `Write it again: pgsweep report ${shellWord(run)}`,
      cause,
    });
  }
}

/** Throws PgsweepError `usage` where the run was resumed since its summary was written, as by a session that was killed. */
function requireCurrent(run: string, summary: Summary): void {
  const { journal } = runFolderAt(run);
  if (!existsSync(journal)) return;
  const rounds = completeRounds(readJournal(journal, { probes: 'left out' }));
  // A journal has the rounds of a search, too.
  const summarized = summary.run.rounds + (summary.search?.rounds ?? 0);
  if (rounds === summarized) return;
  throw new PgsweepError('usage', `the summary of ${run} is of ${summarized} rounds, its journal of ${rounds}`, {
    hint: `Write it again: pgsweep report ${shellWord(run)}`,
  });
}

/** Outside of its repository a commit is as old as its run. */
function commitOf(revision: string | null, { run, provenance }: Summary): MeasuredCommit {
  const wanted = revision ?? provenance.gitCommit;
  if (wanted === null) {
    throw new PgsweepError('usage', 'the run recorded no commit', { hint: 'Name it: --commit HEAD' });
  }
  const found = findCommit(wanted);
  if (found === null && revision !== null && !/^[0-9a-f]{7,64}$/.test(revision)) {
    throw new PgsweepError('usage', `git knows no commit ${revision}`);
  }
  return found ?? { commit: wanted, committedAt: run.startedAt, subject: null };
}
