/** Units of durations: hours, minutes, seconds and milliseconds. */
const millisecondsPer = [3_600_000, 60_000, 1000, 1];

/** Reads a duration such as `500ms`, `5s`, `10m`, `1.5h`, `5m30s`, `0`. Returns milliseconds; null for anything else, and for a number without a unit. */
export function parseDurationMs(text: string | number): number | null {
  const written = String(text).trim();
  if (written === '0') return 0;
  // Each unit once, the longest first.
  const parts = /^(?:([\d.]+)\s*h)?\s*(?:([\d.]+)\s*(?:min|m(?!s)))?\s*(?:([\d.]+)\s*s)?\s*(?:([\d.]+)\s*ms)?$/.exec(
    written,
  );
  const numbers = parts?.slice(1) ?? [];
  if (numbers.every((number) => number === undefined)) return null;
  if (numbers.some((number) => number !== undefined && !/^\d+(\.\d+)?$/.test(number))) return null;
  return Math.round(numbers.reduce((sum, number, at) => sum + Number(number ?? 0) * (millisecondsPer[at] ?? 0), 0));
}

/** The words that ask for a number's unit: `expected a duration with its unit: 5s or 5m`; null for anything but a bare number. */
export function unitAsked(written: unknown): string | null {
  const number = typeof written === 'number' || typeof written === 'string' ? String(written).trim() : '';
  return /^\d+(\.\d+)?$/.test(number) && Number(number) > 0
    ? `expected a duration with its unit: ${number}s or ${number}m`
    : null;
}

/** Reads a short time to any precision: `0.5ms`, `500us`, `0`. Returns milliseconds; null for anything else, and for a number without a unit. */
export function parseFineDurationMs(text: string | number): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(us|ms|s)?$/.exec(String(text).trim());
  if (match === null || (match[2] === undefined && Number(match[1]) !== 0)) return null;
  return Number(match[1]) * ({ us: 1e-3, ms: 1, s: 1000 }[match[2] ?? 'ms'] ?? 1);
}

/** Reads `100mbit`, `1.5gbit` or `500kbit`, a second. Returns Mbit/s, or null. */
export function parseBandwidthMbit(text: string | number): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg])bit$/i.exec(String(text).trim());
  return match && Number(match[1]) * ({ k: 1e-3, m: 1, g: 1000 }[match[2]?.toLowerCase() ?? 'm'] ?? 1);
}

/** Reads `5%` or `5` as 5 (percent). Returns null for anything else. */
export function parsePercent(text: string | number): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*%?$/.exec(String(text).trim());
  return match ? Number(match[1]) : null;
}

/**
 * Reads a limit: `1%` as the share 0.01, `200ms` and `2s` as milliseconds, a bare number as it is. Null for anything else, and
 * for values that are not above 0.
 */
export function parseLimit(text: string | number): number | null {
  const written = String(text).trim();
  const percent = written.endsWith('%') ? parsePercent(written) : null;
  const value = percent !== null ? percent / 100 : /[a-z]$/.test(written) ? parseDurationMs(written) : Number(written);
  return value !== null && value > 0 && Number.isFinite(value) ? value : null;
}

/** A share (0..1) for people, two digits: `62 %`, `0.28 %`. */
export function formatShare(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

/** A duration for people: `850 ms`, `5.2 s`, `9 min 30 s`, `1 h 05 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${trimZero((milliseconds / 1000).toFixed(1))} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600)
    return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** A duration for people, in whole seconds, of what is left: `6 min 10 s`; nothing is left of a negative one. */
export function wholeSeconds(durationMs: number): string {
  return formatDuration(Math.max(0, Math.round(durationMs / 1000) * 1000));
}

const RANGE_STEP_MS = 10_000;

/** Two durations for people, the bounds of what is not known exactly, outwards to 10 s: `1 min 20 s to 4 min 20 s`. */
export function formatDurations([leastMs, mostMs]: readonly [number, number]): string {
  const [low, high] = [Math.floor(leastMs / RANGE_STEP_MS), Math.ceil(mostMs / RANGE_STEP_MS)];
  return `${formatDuration(low * RANGE_STEP_MS)} to ${formatDuration(high * RANGE_STEP_MS)}`;
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, '');
}
