import { PgsweepError } from '../base/errors.ts';
import { secretDigests } from '../base/secrets.ts';
import type { RunRecord } from '../journal/records.ts';
import { scenarioPath } from '../journal/run/scenario-path.ts';
import { withSecrets } from '../journal/run/secret-leaves.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import type { SecretsWarning } from '../journal/secrets-record.ts';
import { loadScenario } from './load-scenario.ts';

export interface RestoredScenario {
  readonly scenario: ResolvedScenario;
  readonly warnings: readonly SecretsWarning[];
}

/**
 * Restores the scenario of a resumed run. Its secrets are read again from its file, since no run folder has them; `asRun` makes of
 * what the file says what the run was. Throws
 * PgsweepError `scenario` where the file lacks them.
 */
export function restoredScenario(
  run: RunRecord,
  asRun: (scenario: ResolvedScenario) => ResolvedScenario = (read) => read,
): RestoredScenario {
  const { scenario, secrets } = run;
  if (secrets === undefined) return { scenario, warnings: [] };
  const keyed = secretDigests();
  const isSameKey = keyed.key !== null && keyed.key === secrets.key;
  const hint = `A run folder keeps no secrets: ${scenario.file} is read again for them. Resume where it is, or begin a new run.`;
  const now = asRun(loadAgain(run, hint));
  const restored = withSecrets(scenario, now, secrets.digests, isSameKey ? keyed : null);
  if (restored.missing.length > 0)
    throw new PgsweepError('scenario', `${scenario.file} no longer has ${restored.missing.join(', ')}`, { hint });
  return { scenario: restored.scenario, warnings: warningsOf(restored.changed, isSameKey) };
}

function loadAgain(run: RunRecord, hint: string): ResolvedScenario {
  const { against } = run.scenario;
  try {
    return loadScenario(scenarioPath(run), against && { ref: [...against.refs] });
  } catch (cause) {
    if (cause instanceof PgsweepError) throw new PgsweepError('scenario', cause.message, { hint, cause });
    throw cause;
  }
}

function warningsOf(changed: readonly string[], isSameKey: boolean): SecretsWarning[] {
  if (!isSameKey) return [{ kind: 'secrets-changed', places: null }];
  return changed.length === 0 ? [] : [{ kind: 'secrets-changed', places: changed }];
}
