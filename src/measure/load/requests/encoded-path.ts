const NOT_IN_A_PATH = /[^\x21-\x7e]/u;

/**
 * A path with every character encoded that HTTP does not allow in it, such as a space or `é`; what is encoded already stays. Text
 * that is no Unicode becomes replacement characters.
 */
export function encodedPath(path: string): string {
  if (!NOT_IN_A_PATH.test(path)) return path;
  return Buffer.from(path).toString().replace(new RegExp(NOT_IN_A_PATH, 'gu'), encodeURIComponent);
}
