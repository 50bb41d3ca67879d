import { dirname } from 'node:path';
import { PgsweepError } from '../../../base/errors.ts';
import { formatDuration } from '../../../base/units.ts';
import type { K6Workload } from '../../../journal/script-spec.ts';
import { pathBelow } from '../base-path.ts';
import type { TriedOutcome, TriedRequest } from '../try/tried-request.ts';
import type { RequestTrial } from '../try/try-requests.ts';
import { isK6Error, type K6Event, readK6Line } from './k6-lines.ts';
import { runModule, scriptError } from './k6-program.ts';
import { scriptVariables } from './k6-stream.ts';
import { createRequestNames } from './request-names.ts';
import { scriptModule } from './script-module.ts';

/** This many iterations are run: one of them may send nothing, or fail as rarely as it may. */
const ITERATIONS = 3;

/**
 * Runs a few iterations of a script, and says what came of the last request of each name. Throws PgsweepError `scenario`
 * where the script throws, or sends nothing.
 */
export async function tryScript(
  workload: K6Workload,
  trial: RequestTrial,
  signal: AbortSignal,
): Promise<readonly TriedRequest[]> {
  signal.throwIfAborted();
  const { url, limitMs } = trial;
  const names = createRequestNames(url);
  const tried: TriedRequest[] = [];
  let iterations = 0;
  const hear = (event: K6Event | null): void => {
    if (event?.kind === 'iterations') iterations += event.count;
    if (event?.kind !== 'request') return;
    const place = names.of(event);
    tried[place] = {
      name: names.names[place] ?? '',
      method: event.method,
      path: pathOf(event.name, url),
      expected: null,
      sent: (tried[place]?.sent ?? 0) + 1,
      outcome: outcomeOf(event),
    };
  };
  const load = { kind: 'once', iterations: ITERATIONS, durationMs: limitMs } as const;
  const k6 = await runModule(scriptModule({ workload, load, graceMs: 0 }), {
    cwd: dirname(workload.script),
    variables: scriptVariables(workload, trial),
    thresholds: [],
    onLine: (line) => hear(readK6Line(line)),
  });
  signal.addEventListener('abort', k6.stop, { once: true });
  if (signal.aborted) k6.stop();
  const { code, messages } = await k6.ended;
  signal.removeEventListener('abort', k6.stop);
  signal.throwIfAborted();
  if (code !== 0 || messages.some(isK6Error)) throw scriptError(workload, messages);
  if (tried.length === 0 && iterations > 0)
    throw new PgsweepError('scenario', `${iterations} iterations of ${workload.script} sent no request`, {
      hint: `A script finds the service's address in __ENV.${workload.urlVariable}.`,
    });
  if (tried.length === 0)
    throw new PgsweepError('scenario', `${workload.script} sent no request within ${formatDuration(limitMs)}`, {
      hint: 'Does it pause before its first request?',
    });
  return tried;
}

function outcomeOf({ status, isExpected, timedOut }: K6Event & { readonly kind: 'request' }): TriedOutcome {
  if (timedOut) return { kind: 'silence' };
  if (status === 0) return { kind: 'error', message: 'k6 had no answer' };
  // k6 keeps no bodies.
  return { kind: 'answer', ok: isExpected, status, body: '' };
}

/** The path of a request; its name where the script gives it one. */
function pathOf(name: string, url: string): string {
  const own = pathBelow(name, new URL(url));
  return own === null ? name : own || '/';
}
