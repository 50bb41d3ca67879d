import { PgsweepError } from '../../base/errors.ts';
import type { Against, AgainstCommit, AgainstTaken } from '../../journal/run/against-record.ts';
import type { DatasetSpec } from '../../journal/scenario-record.ts';
import { commitOf, pathIn, type Repository } from './repository.ts';

/** Facts of git about all sides, before anything is copied. */
export interface Sides {
  readonly commits: readonly Omit<AgainstCommit, 'folder'>[];
  readonly work: Omit<AgainstTaken['work'], 'folder' | 'tree'>;
  /** The folder as it lies there, as a tree of git's. */
  readonly tree: string;
  readonly schemaFiles: readonly string[];
  readonly submodules: readonly string[];
}

/** Reads what a folder is compared with. Throws PgsweepError `usage` for a name that git does not know. */
export async function readSides(
  repository: Repository,
  { refs, tip }: Pick<Against, 'refs' | 'tip'>,
  dataset: DatasetSpec,
): Promise<Sides> {
  const { git, list, root } = repository;
  const head = await commitOf(repository, 'HEAD');
  if (head === null) throw new PgsweepError('usage', `the repository ${root} has no commit to compare with`);
  const tree = await repository.workTree();
  const changes = (before: string, filter: string): Promise<string[]> =>
    list(['diff', '--name-only', '--no-renames', `--diff-filter=${filter}`, '-z', before, tree]);
  const [changed, removed, added] = [await changes(head, 'ad'), await changes(head, 'D'), await changes(head, 'A')];
  const work = { commit: head, changed: changed.length, removed: removed.length, added: added.length };
  const commits = await Promise.all(refs.map((ref) => readCommit(ref)));
  const differing = await changes(commits[0]?.commit ?? head, '');
  const ofData = pathsOf(dataset).flatMap((path) => pathIn(root, path) ?? []);
  const entries = await Promise.all(
    [...commits.map(({ commit }) => commit), tree].map((one) => list(['ls-tree', '-rz', one])),
  );
  const submodules = entries.flat().flatMap((line) => /^160000 .*\t(.*)$/s.exec(line)?.[1] ?? []);
  return { commits, work, tree, schemaFiles: schemaFilesIn(differing, ofData), submodules: [...new Set(submodules)] };

  async function readCommit(ref: string): Promise<Omit<AgainstCommit, 'folder'>> {
    // A clone for CI has but one local branch.
    const name = (await commitOf(repository, ref)) === null ? `origin/${ref}` : ref;
    const commit = await commitOf(repository, name);
    if (commit === null)
      throw new PgsweepError('usage', `--against: there is no branch, tag or commit ${ref} in this clone`, {
        hint: `git branch --all lists its branches. If it is on the server only: git fetch origin ${ref}`,
      });
    const full = (await git(['rev-parse', '--symbolic-full-name', name])).trim();
    if (!/^refs\/(heads|remotes)\//.test(full)) return { ref, commit, at: 'commit' };
    if (tip) return { ref, commit, at: 'tip' };
    // A local branch that was not pulled since: where yours left it may be newer than that.
    const upstream = await commitOf(repository, `${name}@{upstream}`);
    const base = await git(['merge-base', 'HEAD', commit, ...(upstream === null ? [] : [upstream])]).catch(() => null);
    if (base === null)
      throw new PgsweepError('usage', `${ref} and your branch have no commit in common here`, {
        hint: 'Compare with its newest by --tip; or, where this clone is shallow, fetch more of it: git fetch --unshallow',
      });
    return { ref, commit: base.trim(), at: 'merge base' };
  }
}

function pathsOf(dataset: DatasetSpec): readonly string[] {
  if (dataset.kind === 'sql') return dataset.files;
  return dataset.kind === 'dump' ? [dataset.dump] : [];
}

/** Folders of migrations, and files that hold a schema, by the names that tools give them. */
const SCHEMA =
  /(^|\/)(migrations?|migrate|drizzle|alembic|flyway)\/|(^|\/)[^/]*(schema|structure)[^/]*\.(sql|prisma|rb)$/i;

/** Files among these that make a schema: those of the data set, and those with a name for it. */
export function schemaFilesIn(files: readonly string[], ofData: readonly string[]): string[] {
  const isOfData = (file: string): boolean => ofData.some((path) => file === path || file.startsWith(`${path}/`));
  return files.filter((file) => SCHEMA.test(file) || isOfData(file)).sort();
}
