/**
 * A page holds parts that are made by `npm run docs`, each between two comments that name it. What stands around them is
 * written by hand.
 */
const begin = (name: string): string => `<!-- made by npm run docs: ${name} -->`;
const end = (name: string): string => `<!-- end of ${name} -->`;

/** The page with the text in place of what stood in the part. Throws where the page has not exactly one such part. */
export function withPart(page: string, name: string, text: string): string {
  const [before = '', rest, ...others] = page.split(begin(name));
  const after = rest?.split(end(name));
  if (after?.length !== 2 || others.length > 0) {
    throw new Error(`expected one part "${name}", from ${begin(name)} to ${end(name)}`);
  }
  return `${before}${begin(name)}\n\n${text.trim()}\n\n${end(name)}${after[1]}`;
}
