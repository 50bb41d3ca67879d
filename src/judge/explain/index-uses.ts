import type { Variant } from '../../journal/scenario-record.ts';
import type { IndexesRecord, IndexUse } from '../../journal/treatment-records.ts';
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
    const uses = arms.flatMap(({ indexes }) => indexes.filter((one) => isNamed(one, index)));
    const [first] = uses;
    if (first === undefined) return [];
    const [bytes, scans] = [mean(uses.map((use) => use.bytes)), mean(uses.map((use) => use.scans))];
    return [{ variant, index, table: first.table, change, bytes: significant(bytes), scans: significant(scans) }];
  });
}

/** True for an index of that name; `schema.name` where the name is in several, as a variant's keys have it. */
function isNamed({ name, table }: IndexUse, wanted: string): boolean {
  if (wanted === name) return true;
  // An index is in the schema of its table.
  const schema = wanted.endsWith(`.${name}`) ? wanted.slice(0, -name.length) : null;
  return schema === 'public.' ? !table.includes('.') : schema !== null && table.startsWith(schema);
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
