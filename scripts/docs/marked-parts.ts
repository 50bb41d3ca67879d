/**
 * A page holds parts that are made by a command, mostly `npm run docs`, each between two comments that name it. What stands around them is
 * written by hand.
 */
const begin = (name: string, command: string): string => `<!-- made by ${command}: ${name} -->`;
const end = (name: string): string => `<!-- end of ${name} -->`;

/** The page with the text in place of what stood in the part. Throws where the page has not exactly one such part. */
export function withPart(page: string, name: string, text: string, command = 'npm run docs'): string {
  const head = begin(name, command);
  const [before = '', rest, ...others] = page.split(head);
  const after = rest?.split(end(name));
  if (after?.length !== 2 || others.length > 0) {
    throw new Error(`expected one part "${name}", from ${head} to ${end(name)}`);
  }
  return `${before}${head}\n\n${text.trim()}\n\n${end(name)}${after[1]}`;
}
