const intervalMs = 1000;

const lastShownMs = new Map<string, number>();
const lastShownMax = 100;
let hidden = 0;

/**
 * Writes one line to stderr. The same line comes at most once a second: while the database is away, every request
 * would write it, and writing would be most of the work.
 */
export function warn(message: string): void {
  const line = message.replaceAll(/\s*\n\s*/g, ' ');
  const nowMs = Date.now();
  if (nowMs - (lastShownMs.get(line) ?? 0) < intervalMs) {
    hidden++;
    return;
  }
  if (lastShownMs.size >= lastShownMax) lastShownMs.clear();
  lastShownMs.set(line, nowMs);
  process.stderr.write(`pgsweep service: ${line}${hidden > 0 ? ` (${hidden} more warnings were left out)` : ''}\n`);
  hidden = 0;
}
