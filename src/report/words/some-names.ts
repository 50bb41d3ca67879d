/** `a, b, c`, or `a, b and 48 more`. */
export function someNames(names: readonly string[], most: number): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
