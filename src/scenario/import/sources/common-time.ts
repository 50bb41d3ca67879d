const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** `10/Oct/2000:13:55:36 -0700` in milliseconds since 1970. */
export function timeOfCommon(text: string): number | undefined {
  const match = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/.exec(text);
  const [, day, month = '', year, clock, hours, minutes] = match ?? [];
  const index = MONTHS.indexOf(month) / 3;
  if (month === '' || !Number.isInteger(index) || index < 0) return undefined;
  const atMs = Date.parse(`${year}-${String(index + 1).padStart(2, '0')}-${day}T${clock}${hours}:${minutes}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
