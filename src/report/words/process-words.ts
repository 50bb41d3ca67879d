/** A process of a service by its name; an instance has a number. */
export function processWords(name: string): string {
  return /^\d+$/.test(name) ? `instance ${name}` : name;
}
