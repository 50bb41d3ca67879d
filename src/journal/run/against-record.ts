import { count, fields, list, oneOf, optional, text, type ValueOf } from '../shape.ts';

/** The name of the variant that is the folder as it lies there. */
export const BRANCH = 'branch';

/** A commit that the folder is compared with. */
export interface AgainstCommit extends ValueOf<typeof againstCommit> {}
const againstCommit = fields({
  /** Its variant has this name. */
  ref: text,
  commit: text,
  /** Where it was taken: where the folder's branch left that branch, at the branch's newest, or the one commit that was named. */
  at: oneOf('merge base', 'tip', 'commit'),
  /** Its snapshot. */
  folder: text,
  /** The command of its own scenario file, where that is another. */
  command: optional(text),
});

/** The snapshots of a comparison. Folders are absolute. */
export interface AgainstTaken extends ValueOf<typeof againstTaken> {}
const againstTaken = fields({
  /** The top folder of the repository. */
  repository: text,
  /** The control first. */
  commits: list(againstCommit, 1),
  work: fields({
    /** The commit that the folder is based on. */
    commit: text,
    /** Files of that commit that differ, or are gone, and those that it has not. */
    changed: count,
    removed: count,
    added: count,
    /** The folder as it lay there, as a tree of git's; absent in old journals. */
    tree: optional(text),
    folder: text,
  }),
  /** Files of the schema or its migrations that differ between the control and the folder. */
  schemaFiles: list(text),
  /** Submodules, which are empty folders in all snapshots; absent where there are none, or all are carried. */
  emptySubmodules: optional(list(text)),
});

/** The comparison as it was asked for. */
export interface Against extends ValueOf<typeof against> {}
export const against = fields({
  refs: list(text, 1),
  /** Branches are taken at their newest commit. */
  tip: optional(oneOf(true)),
  /** Ignored files and folders that both sides get; absolute. */
  carry: list(text),
  /** Run in each snapshot once it is installed. */
  prepare: optional(text),
  /** Parts that are each side's own. */
  own: list(oneOf('dataset')),
  /** The variant whose settings all sides have; absent where the scenario has no other. */
  settings: optional(text),
  /** Absent until the snapshots are made. */
  taken: optional(againstTaken),
});
