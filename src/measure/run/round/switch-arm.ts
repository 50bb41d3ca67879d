import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { LiveSwitch } from '../../../journal/live-switch.ts';
import type { Target } from '../../../journal/scenario-record.ts';
import type { AppliedTreatment } from '../../../journal/treatment-records.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import type { LiveArm, RoundContext, RoundStack } from './round-context.ts';
import type { TurnsToTake } from './take-turns.ts';

interface SwitchContext extends Pick<RoundContext, 'scenario'> {
  readonly stack: Pick<RoundStack, 'databases' | 'switchService'>;
}

/**
 * Switches the process and the database that all arms share to one of them, and returns what was seen of it; of several
 * instances each is switched, and looked at. Always the whole switch, also where the arm before had the same setting: what
 * it costs strikes all arms alike. Throws PgsweepError where something is refused or not seen; the turn then must not count.
 */
export async function switchTo(
  { scenario, stack }: SwitchContext,
  { arm, database, target }: LiveArm,
  signal: AbortSignal,
): Promise<AppliedTreatment[]> {
  const { live } = arm.variant;
  if (live === undefined) throw new Error(`${arm.name} is not switched live`);
  const urls = target.urls ?? [target.url];
  let who = 'the running service';
  try {
    const seen = (await stack.databases?.switch(database, live)) ?? [];
    for (const [instance, url] of urls.entries()) {
      if (urls.length > 1) who = `instance ${instance} of the running service`;
      const { exited } = target;
      await stack.switchService({ target: { url, exited }, ready: readyOf(scenario.target), signal }, live);
    }
    return [...seen, ...requested(live)];
  } catch (error) {
    signal.throwIfAborted();
    const message = `${who} was not switched to "${arm.name}": ${messageOf(error)}`;
    if (!(error instanceof PgsweepError)) throw new PgsweepError('stack', message, { cause: error });
    throw new PgsweepError(error.code, message, { hint: error.hint, variant: arm.variant.name, cause: error });
  }
}

/**
 * Work before each turn of a pass or a warm-up: none where arms are separate processes. `onSwitch` gets the time of each
 * switch.
 */
export function switchBeforeTurns(
  context: RoundContext,
  arms: readonly LiveArm[],
  onSwitch: (durationMs: number) => void = () => {},
): Pick<TurnsToTake, 'prepare'> {
  const { clock } = context.io;
  if (!areOneProcess(context.scenario)) return {};
  return {
    async prepare(arm, signal) {
      const alive = arms[arm];
      if (alive === undefined) return;
      const startMs = clock.nowMs();
      await switchTo(context, alive, signal);
      onSwitch(clock.nowMs() - startMs);
    },
  };
}

function readyOf(target: Target): string | null {
  if (target.kind === 'url' || target.kind === 'none') return null;
  return target.kind === 'service' ? '/health' : target.ready;
}

function requested({ requests, checks }: LiveSwitch): AppliedTreatment[] {
  return [
    ...requests.map(({ method, path }) => ({ name: `${method} ${path}`, found: `${method} ${path} answered` })),
    ...checks.map((check) => {
      const name = check.kind === 'sql' ? check.sql : `GET ${check.path}`;
      return { name, found: `${name}: ${JSON.stringify(check.expect)}` };
    }),
  ].map((one) => ({ kind: 'request', ...one }));
}
