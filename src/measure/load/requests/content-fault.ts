/** The mistake in the name of a module's request, as the end of a sentence; null where there is none. */
export function contentFault({ name }: { readonly name?: unknown }): string | null {
  if (name === undefined || typeof name === 'string') return null;
  return `the name of its request is no text but a ${typeof name}: write String(name)`;
}
