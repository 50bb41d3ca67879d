import type { RunEvent } from '../../measure/run/events.ts';
import type { Io } from '../io.ts';
import { describeSituation, lastingLine, nextSituation, nothingYet, roundFacts } from './describe.ts';
import { type Progress, silentProgress } from './progress.ts';
import { terminalProgress } from './terminal.ts';

/** Progress that suits where stderr goes. */
export function progressFor({ quiet }: { readonly quiet?: boolean }, io: Io): Progress {
  if (quiet) return silentProgress(io.err);
  return io.terminal === null ? plainProgress(io.err) : terminalProgress(io.terminal);
}

/** How often a slice's live rate is worth a line in a log. */
const LIVE_EVERY_MS = 30_000;

/** One line for what matters, for logs and CI. */
export function plainProgress(write: (text: string) => void): Progress {
  let situation = nothingYet;
  let lastLiveMs = performance.now();
  return {
    on(event) {
      const nowMs = performance.now();
      situation = nextSituation(situation, event, nowMs);
      const line = lastingLine(event);
      const facts = event.kind === 'round-ended' ? roundFacts(situation) : '';
      if (line !== null) write(`${line}${facts}\n`);
      else if (event.kind === 'round-started' || (isLive(event) && nowMs - lastLiveMs >= LIVE_EVERY_MS)) {
        lastLiveMs = nowMs;
        write(`${describeSituation(situation, nowMs)}\n`);
      }
    },
    clear() {},
    close() {},
  };
}

function isLive({ kind }: RunEvent): boolean {
  return kind === 'rate' || kind === 'bulk-progress' || kind === 'job-progress';
}
