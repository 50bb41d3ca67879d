import { maskKnown } from '../base/secrets.ts';
import { visible, visibleLines } from '../base/visible.ts';
import { describeSituation, lastingLine, nextSituation, nothingYet } from './describe.ts';
import type { Progress } from './progress.ts';

const REDRAW_MS = 250;
const ERASE_LINE = '\r\u001b[2K';

export interface TerminalStream {
  write(text: string): unknown;
  readonly columns?: number;
}

/** A status line that is drawn over, below the lines that stay. */
export function terminalProgress(stream: TerminalStream): Progress {
  let situation = nothingYet;
  let drawn = false;
  const erase = (): void => {
    if (drawn) stream.write(ERASE_LINE);
    drawn = false;
  };
  const draw = (): void => {
    const text = visible(describeSituation(situation, performance.now()));
    if (text === '') return;
    // A line that wraps could not be drawn over.
    const width = Math.max(20, (stream.columns ?? 80) - 1);
    stream.write(`${ERASE_LINE}${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
    drawn = true;
  };
  // The time left goes down also while nothing happens.
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    on(event) {
      situation = nextSituation(situation, event, performance.now());
      const line = lastingLine(event);
      if (line === null) return;
      erase();
      stream.write(`${visibleLines(maskKnown(line))}\n`);
    },
    clear: erase,
    close() {
      clearInterval(timer);
      erase();
    },
  };
}
