import { PgsweepError } from '../../base/errors.ts';
import { secretDigests } from '../../base/secrets.ts';
import type { RunRecord, WithSecrets } from '../../journal/records.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { loadScenario } from '../../scenario/load-scenario.ts';
import { withoutSecrets, withSecrets } from '../../scenario/secret-leaves.ts';
import type { RunWarning } from './warnings.ts';

/** A scenario as it is written down, and what tells its secrets from others; no key of the user's is made where it has none. */
export function recordedSecrets(scenario: ResolvedScenario): {
  masked: ResolvedScenario;
  secrets: WithSecrets;
} {
  const { masked, digests: places } = withoutSecrets(scenario, null);
  if (Object.keys(places).length === 0) return { masked, secrets: {} };
  const keyed = secretDigests();
  return { masked, secrets: { secrets: { key: keyed.key, digests: withoutSecrets(scenario, keyed).digests } } };
}

/**
 * The scenario of a run that goes on, its secrets read again from its file, since no run folder has them; and what is to
 * be said of those that may be others. Throws PgsweepError `scenario` where the file has them no more.
 */
export function restoredScenario({ scenario, secrets }: RunRecord): {
  scenario: ResolvedScenario;
  warnings: RunWarning[];
} {
  if (secrets === undefined) return { scenario, warnings: [] };
  const keyed = secretDigests();
  const isSameKey = keyed.key !== null && keyed.key === secrets.key;
  const hint = `A run folder keeps no secrets: ${scenario.file} is read again for them. Resume where it is, or begin a new run.`;
  const now = ((): ResolvedScenario => {
    try {
      return loadScenario(scenario.file);
    } catch (cause) {
      if (cause instanceof PgsweepError) throw new PgsweepError('scenario', cause.message, { hint, cause });
      throw cause;
    }
  })();
  const restored = withSecrets(scenario, now, secrets.digests, isSameKey ? keyed : null);
  if (restored.missing.length > 0)
    throw new PgsweepError('scenario', `${scenario.file} no longer has ${restored.missing.join(', ')}`, { hint });
  return { scenario: restored.scenario, warnings: warningsOf(restored.changed, isSameKey) };
}

function warningsOf(changed: readonly string[], isSameKey: boolean): RunWarning[] {
  if (!isSameKey) return [{ kind: 'secrets-changed', places: null }];
  return changed.length === 0 ? [] : [{ kind: 'secrets-changed', places: changed }];
}
