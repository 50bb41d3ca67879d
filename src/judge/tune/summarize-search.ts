import type { JournalSoFar } from '../../journal/journal.ts';
import { confirmedProposal } from '../../journal/line-up.ts';
import type { ModelledChange, SearchSoFar } from '../../journal/open-estimate.ts';
import { withoutParts } from '../../journal/proposal-records.ts';
import type { JournalRecord } from '../../journal/records.ts';
import type { FactorValue, Variant } from '../../journal/scenario-record.ts';
import type { TunedFactor } from '../../journal/tune/tune-spec.ts';
import { pointOfVariant } from '../../journal/tune/variant-at.ts';
import { mean } from '../stats/moments.ts';
import { significant, toPercent } from '../stats/rounding.ts';
import { followSearch } from './follow-search.ts';
import type { Searched } from './propose.ts';
import { modelledChange, searchSoFar } from './search-so-far.ts';
import { numberOf } from './space.ts';

/** A setting that a search tried. */
export interface Trial {
  readonly variant: string;
  readonly factors: Readonly<Record<string, FactorValue>>;
  /** In how many rounds; 0 of one that was refused. */
  readonly rounds: number;
  /** Its mean change against the control in these rounds, in percent; null where no slice counts. */
  readonly measuredPercent: number | null;
  /** Absent where the model knows nothing of it. */
  readonly change?: ModelledChange;
  /** Why server or service refused it. Absent where they did not. */
  readonly refused?: string;
  /** Set where it breaks a limit by its range, and was not tried again. */
  readonly breaks?: true;
}

/** The model along one factor, with the others as in the best setting. */
export interface SearchCurve extends Pick<TunedFactor, 'beyond'> {
  readonly factor: string;
  readonly points: readonly CurvePoint[];
}

interface CurvePoint extends ModelledChange {
  readonly value: FactorValue;
}

/** A setting that is confirmed, with its environment, its Postgres settings and the indexes that it hides. */
export interface ConfirmedSetting {
  readonly variant: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly hideIndex: readonly string[];
  /** Indexes that the control hides and this one does not. Absent where there are none. */
  readonly showIndex?: readonly string[];
}

/** A search before its confirmation: by its model, and without verdicts. */
export interface SearchSummary {
  /** Its complete rounds. */
  readonly rounds: number;
  /** The settings that are confirmed, and what each takes; null while it searches. */
  readonly confirmed: readonly ConfirmedSetting[] | null;
  /** Null before the first settings were tried all over the space. */
  readonly best: SearchSoFar | null;
  /** The best by the model first. */
  readonly trials: readonly Trial[];
  /** For each factor; empty where there is no model. */
  readonly curves: readonly SearchCurve[];
}

/** Follows the search of a journal again. Null where the run was none. */
export function summarizeSearch({ run, records }: JournalSoFar): SearchSummary | null {
  const { tune } = run.scenario;
  if (tune === undefined) return null;
  const search = followSearch(run, tune);
  const proposal = confirmedProposal(records);
  const hiddenBefore = hiddenBy(run.scenario.variants[0]);
  const confirmed = proposal && withoutParts(proposal).variants.map((one) => confirmedSetting(one, hiddenBefore));
  // In the confirmation a setting may be refused still.
  const isOfSearch = (record: JournalRecord): boolean =>
    proposal === null || !('round' in record) || record.round <= proposal.round || record.type === 'refused';
  for (const record of records) if (isOfSearch(record)) search.add(record);
  const { searched, model, rounds, tried, refused, sign } = search.state();
  const { space, control } = searched;
  const trials = tried.map(({ name: variant, factors }): Trial => {
    const point = pointOfVariant(tune, { factors }) ?? control;
    const own = ratiosOf(searched, numberOf(space, point));
    const reason = refused.get(variant);
    const isMeasured = own.length > 0;
    return {
      ...{ variant, factors, rounds: own.length },
      measuredPercent: isMeasured ? significant(toPercent(sign * mean(own))) : null,
      ...(isMeasured && model && { change: modelledChange(model, point) }),
      ...(reason !== undefined && { refused: reason }),
      ...(isMeasured && searched.breaks?.(point) && { breaks: true }),
    };
  });
  const better = ({ change }: Trial): number => (change === undefined ? -Infinity : sign * change.percent);
  return {
    rounds,
    confirmed,
    best: model === null || searched.breaks?.(model.known.best) ? null : searchSoFar(tune, model),
    trials: trials.sort((a, b) => better(b) - better(a)),
    curves:
      model === null
        ? []
        : tune.factors.map(({ name, values, beyond }, factor) => ({
            factor: name,
            ...(beyond && { beyond }),
            points: values.flatMap((value, place) => {
              const point = model.known.best.with(factor, place);
              // What was refused has no change.
              return searched.out.has(numberOf(space, point)) ? [] : [{ value, ...modelledChange(model, point) }];
            }),
          })),
  };
}

/** Logarithms of a point's values against the control's, by round. */
function ratiosOf({ space, control, seen }: Searched, number: number): number[] {
  const valuesIn = (round: number, wanted: number): number[] =>
    seen.flatMap((one) => (one.round === round && numberOf(space, one.point) === wanted ? [one.value] : []));
  const own = numberOf(space, control);
  return [...new Set(seen.map(({ round }) => round))].flatMap((round) => {
    const [values, against] = [valuesIn(round, number), valuesIn(round, own)];
    return values.length === 0 || against.length === 0 ? [] : [mean(values) - mean(against)];
  });
}

function confirmedSetting(variant: Variant, hiddenBefore: readonly string[]): ConfirmedSetting {
  const { name, env, treatment, live } = variant;
  const switched = live?.settings.flatMap((one) => (one.value === null ? [] : [[one.name, one.value] as const]));
  const settings = treatment?.settings ?? Object.fromEntries(switched ?? []);
  const hideIndex = hiddenBy(variant);
  const showIndex = hiddenBefore.filter((index) => !hideIndex.includes(index));
  return { variant: name, env, settings, hideIndex, ...(showIndex.length > 0 && { showIndex }) };
}

/** Indexes that a setting hides. */
function hiddenBy({ treatment, live }: Partial<Variant> = {}): readonly string[] {
  return treatment?.hideIndex ?? live?.indexes.flatMap(({ name, hidden }) => (hidden ? [name] : [])) ?? [];
}
