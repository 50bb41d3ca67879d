import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PgsweepError } from '../../../base/errors.ts';
import { maskKnownTexts } from '../../../base/secrets.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, problemOf } from '../../finding.ts';
import type { RunPlan } from '../../plan/run-plan.ts';
import type { Stack } from '../../stack/stack.ts';
import { type ExamineOptions, examine } from '../doctor/examine.ts';
import { examineRunFolder } from '../doctor/run-folder.ts';
import type { EmitEvent } from '../events.ts';
import { createRunFolder } from '../run-folder.ts';
import { withServers } from '../servers/session-servers.ts';
import { planConnections, withServerRoom } from './connections.ts';
import { preflight } from './preflight.ts';

export interface CheckOptions extends Required<ExamineOptions> {
  /** The run folder that the sweep would have. */
  readonly out: string;
  /** Set for a quick run; absent means it is a whole one. */
  readonly quick?: boolean;
  /** Set where each variant is tried; absent where the control is, and each that has another service. */
  readonly everyVariant?: boolean;
  readonly emit: EmitEvent;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** The error with which a sweep would end before its first round; null where it would begin. */
  readonly error: PgsweepError | null;
  /** Null where it would not begin. */
  readonly plan: RunPlan | null;
}

/** Looks as a sweep does before its first round, at the machine as long as the doctor, and leaves nothing behind. */
export async function checkRun({
  scenario,
  stackChoice,
  out,
  watchMs,
  quick,
  everyVariant,
  emit,
  signal,
}: CheckOptions): Promise<Checked> {
  const findings = await examine({ scenario, stackChoice, watchMs, signal });
  const report = (finding: Finding): void => void findings.push(finding);
  let plan: RunPlan | null = null;
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-check-'));
  try {
    report(examineRunFolder(out));
    const folder = createRunFolder(path);
    const look = async ({ kind }: Pick<Stack, 'kind'>): Promise<void> => void planConnections(scenario, kind);
    await withServers({ scenario, stackChoice, folder, emit, signal, examine: look }, async (servers) => {
      const { database } = servers;
      if (database !== null) report(ok('data set', database.dataset.record?.name ?? 'none: the database is empty'));
      report(ok('changes', changesOf(scenario)));
      plan = await preflight({
        ...servers,
        scenario: await withServerRoom(scenario, database),
        seed: 1,
        ...(quick && { quick }),
        ...(everyVariant && { everyVariant }),
        io: { folder: path, emit, signal: servers.signal },
        report,
      });
    });
    return { findings: maskKnownTexts(findings), error: null, plan };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PgsweepError)) throw error;
    return { findings: maskKnownTexts([...findings, problemOf(error.code, error)]), error, plan };
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** By then each has been made on a copy, and seen there. */
function changesOf({ variants }: ResolvedScenario): string {
  const changed = variants.filter(({ treatment }) => treatment !== undefined).length;
  return changed === 0
    ? 'no variant changes its database'
    : `those of ${changed} variant${changed === 1 ? '' : 's'} can be made`;
}
