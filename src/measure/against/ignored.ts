import type { AgainstTaken } from '../../journal/run/against-record.ts';
import { openRepository } from './repository.ts';

/** Files that services read when they start and nobody commits. */
const USUAL = /(^|\/)(\.env[\w.-]*|[^/]*\.(pem|key|crt|cert)|certs?\/|config\.local\.[^/]*)$/i;
const MOST_NAMED = 5;

/** Files that git ignores in the folder and that an error names; where it names none, those that services mostly read. */
export async function ignoredIn({ repository, work, commits }: AgainstTaken, message: string): Promise<string[]> {
  const opened = await openRepository(repository).catch(() => null);
  if (opened === null) return [];
  try {
    const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
    const ignored = (await opened.list(args)).filter((path) => !/(^|\/)node_modules\/$/.test(path));
    return missingIn(message, ignored, [work.folder, ...commits.map(({ folder }) => folder)]);
  } finally {
    opened.close();
  }
}

/** Those of ignored paths (folders end in `/`) that a text names, below one of the trees or by themselves. */
export function missingIn(message: string, ignored: readonly string[], trees: readonly string[]): string[] {
  const plain = trees.reduce((text, tree) => text.replaceAll(`${tree}/`, ''), message);
  const isNamed = (path: string): boolean => {
    const bare = path.replace(/\/$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(^|[\\s'"\`(./])${bare}(?![\\w-])`).test(plain);
  };
  const named = ignored.filter(isNamed);
  return (named.length > 0 ? named : ignored.filter((path) => USUAL.test(path))).slice(0, MOST_NAMED);
}
