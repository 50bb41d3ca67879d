import { maskKnown } from '../../base/secrets.ts';
import { visible, visibleLines } from '../../base/visible.ts';
import { describeSituation, knownLines, lastingLine, nextSituation, nothingYet } from './describe.ts';
import type { Progress } from './progress.ts';

const REDRAW_MS = 250;
const ERASE_LINE = '\r\u001b[2K';
const ERASE_BELOW = '\u001b[0J';
/** Most lines below the status line. */
const MOST_LINES = 8;

export interface TerminalStream {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

/** Progress in lines that are redrawn, below the lines that stay. */
export function terminalProgress(stream: TerminalStream): Progress {
  let situation = nothingYet;
  /** How many lines are drawn. */
  let drawn = 0;
  const toFirst = (): string => (drawn > 1 ? `\u001b[${drawn - 1}A` : '');
  const erase = (): void => {
    if (drawn > 0) stream.write(`${toFirst()}${ERASE_LINE}${drawn > 1 ? ERASE_BELOW : ''}`);
    drawn = 0;
  };
  const draw = (): void => {
    const status = describeSituation(situation, performance.now());
    if (status === '') return;
    // A line that wraps, or is above the screen, could not be drawn over.
    const width = Math.max(20, (stream.columns || 80) - 1);
    const most = Math.min(MOST_LINES, (stream.rows || 24) - 2);
    const lines = [status, ...knownLines(situation, most)].map((line) => cutToColumns(visible(maskKnown(line)), width));
    const below = lines.length < drawn ? ERASE_BELOW : '';
    stream.write(`${toFirst()}${lines.map((line) => `${ERASE_LINE}${line}`).join('\n')}${below}`);
    drawn = lines.length;
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

/** Characters that take two columns: of East Asian scripts, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

function cutToColumns(text: string, mostColumns: number): string {
  let columns = 0;
  let kept = '';
  for (const character of text) {
    columns += WIDE.test(character) ? 2 : 1;
    if (columns > mostColumns) return `${[...kept].slice(0, -1).join('')}…`;
    kept += character;
  }
  return kept;
}
