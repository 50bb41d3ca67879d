import type { Variant } from '../../journal/scenario-record.ts';
import type { IndexesRecord } from '../../journal/treatment-records.ts';
import type { RunData } from '../read/run-data.ts';
import { mean } from '../stats/moments.ts';
import { significant } from '../stats/rounding.ts';

/** An index that a variant removes, hides or adds: what it is where it is there and used. */
export interface IndexSummary {
  readonly variant: string;
  readonly index: string;
  readonly table: string;
  readonly change: 'removed' | 'hidden' | 'added';
  /** Mean over arms and rounds. */
  readonly bytes: number;
  /** Scans in an arm's life, mean over arms and rounds: of the control's arms where the index is not the variant's own. */
  readonly scans: number;
}

/** The indexes that variants change. Empty where none does, or nothing was recorded of them. */
export function indexUses({ scenario, indexes }: RunData): IndexSummary[] {
  const { variants, control } = scenario;
  const armsOf = (variant: string): IndexesRecord[] =>
    indexes.filter(({ arm }) => arm === variant || (variant === control && arm.startsWith(`${control} (A/A)`)));
  const ofControl = armsOf(control);
  return variants.flatMap((variant) => [
    ...summarize(variant, 'removed', variant.treatment?.dropIndex ?? [], ofControl),
    ...summarize(variant, 'hidden', variant.treatment?.hideIndex ?? [], ofControl),
    ...summarize(variant, 'added', namesOnlyIn(armsOf(variant.name), ofControl, variant), armsOf(variant.name)),
  ]);
}

function summarize(
  { name: variant }: Variant,
  change: IndexSummary['change'],
  names: readonly string[],
  arms: readonly IndexesRecord[],
): IndexSummary[] {
  return names.flatMap((index) => {
    const uses = arms.flatMap(({ indexes }) => indexes.filter((one) => one.name === index));
    const [first] = uses;
    if (first === undefined) return [];
    const [bytes, scans] = [mean(uses.map((use) => use.bytes)), mean(uses.map((use) => use.scans))];
    return [{ variant, index, table: first.table, change, bytes: significant(bytes), scans: significant(scans) }];
  });
}

function namesOnlyIn(
  arms: readonly IndexesRecord[],
  control: readonly IndexesRecord[],
  { treatment }: Variant,
): string[] {
  if ((treatment?.createIndex.length ?? 0) === 0) return [];
  const known = new Set(control.flatMap(({ indexes }) => indexes.map(({ name }) => name)));
  return [...new Set(arms.flatMap(({ indexes }) => indexes.map(({ name }) => name)))].filter(
    (name) => !known.has(name),
  );
}
