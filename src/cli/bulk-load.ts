import { ExitCode, PgsweepError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files/atomic-file.ts';
import type { Provenance } from '../journal/records.ts';
import { withoutSecrets } from '../journal/run/secret-leaves.ts';
import { createBulkFolder, firstFailures } from '../measure/run/bulk/bulk-folder.ts';
import { type BulkLoadRun, type BulkRound, runBulkLoad } from '../measure/run/bulk/bulk-load.ts';
import { defaultRunFolder } from '../measure/run/run-folder.ts';
import { type BulkLoadOptions, bulkLoadRun, datasetTitle } from './bulk-options.ts';
import type { Io } from './io.ts';
import { progressFor } from './progress/progress-for.ts';
import { applyShare } from './share.ts';
import { describeBulk, isWhole, timeSpan } from './show-bulk.ts';

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
  let json = '';
  try {
    if (run.target.kind === 'url' && run.rounds > 1) {
      progress.on({ kind: 'warning', warning: { kind: 'loads-add-up' } });
    }
    await runBulkLoad(run, {
      emit: (event) => progress.on(event),
      onStart() {
        progress.clear();
        lines(`Starting Measure for ${title}\n`);
      },
      onRound(round, provenance) {
        progress.clear();
        lines(`Total Time: ${timeSpan(round.result.bulk.totalMs)}\nDocuments: ${round.result.bulk.documents}\n`);
        rounds.push(round);
        json = resultJson({ run, rounds, provenance, startedAt });
        // After every round, so the result is kept if the next round fails.
        writeFileAtomic(folder.result, json);
      },
      signal: io.signal,
    });
  } catch (error) {
    folder.removeUnused();
    throw ofCommand(error, options);
  } finally {
    progress.close();
  }
  const passed = rounds.every(isWhole);
  if (options.json) io.out(json);
  else io.out(`\n${describeBulk(rounds, firstFailures(folder, 3))}\nresult: ${folder.path}\n`);
  return passed ? ExitCode.done : ExitCode.gate;
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
