import type { Proposal } from '../../journal/proposal-records.ts';
import type { JournalRecord, RunRecord } from '../../journal/records.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { TuneSpec } from '../../journal/tune/tune-spec.ts';
import { pointOfVariant, variantAt } from '../../journal/tune/variant-at.ts';
import { aggregateRounds } from '../read/aggregate-run.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { Series } from '../read/metrics/series.ts';
import { doubledVariant } from '../read/other-control.ts';
import { readRounds } from '../read/rounds/complete-rounds.ts';
import { gatherSpreads } from '../read/rounds/spreads.ts';
import type { ArmCell } from '../read/run-data.ts';
import { mean } from '../stats/moments.ts';
import { limitMetric, stressOf } from '../verdicts/limits.ts';
import type { StopDecision } from '../verdicts/stop-rule.ts';
import { breaking } from './breaking.ts';
import { partsOf, toConfirm } from './confirm.ts';
import type { Seen } from './landscape.ts';
import { propose, type Searched, type SearchRules } from './propose.ts';
import { type Model, searchSoFar } from './search-so-far.ts';
import { numberOf, type Point, spaceOf } from './space.ts';

/** A search ends where the best so far is missed by more than the margin with a smaller chance. */
const MOST_MISSED = 0.1;

/** A search ends here at the latest, and in time for its confirmation. */
const MOST_ROUNDS = 40;

/** A setting that breaks a limit with this chance is not tried again, and one that does with this is not confirmed. */
const SURELY = 0.975;
const PROBABLY = 0.5;

/** The last rounds of the budget are for the confirmation: as many as a decision needs, and one to spare. */
export const CONFIRM_ROUNDS = 6;

/** A setting whose slices were discarded in this many rounds is not tried again. */
const MOST_WITHOUT_VALUE = 2;

/** Follows a search: it wants each record once, in order. */
export interface FollowedSearch {
  add(record: JournalRecord): void;
  decide(roundsLeft?: number): StopDecision;
  /** A setting without each of its changes. */
  partsOf(setting: Variant): SettingParts;
  /** All that is known by now. */
  state(): SearchState;
}

/** A setting without each of its changes; none of one change. */
export interface SettingParts {
  /** How many changes it has. */
  readonly changes: number;
  /** But for those that were refused; first without what gives most by the model. */
  readonly variants: readonly Variant[];
}

export interface SearchState {
  readonly searched: Searched;
  /** Null before the first points were spread. */
  readonly model: Model | null;
  /** How many rounds are complete. */
  readonly rounds: number;
  /** Settings that were tried, and those that were refused with the reason. */
  readonly tried: readonly Variant[];
  readonly refused: ReadonlyMap<string, string>;
  /** -1 where less of the judged metric is better: its logarithms are turned around. */
  readonly sign: 1 | -1;
}

export function followSearch({ scenario, quick, seed }: RunRecord, tune: TuneSpec): FollowedSearch {
  const judged = judgedMetric(scenario);
  const { keep = [] } = tune;
  const needsLatencies =
    keep.length > 0 || judged.percentile !== undefined || judged.group !== 'load' || judged.better === 'lower';
  const metric = roughly(judged);
  const limits = keep.map((limit) => ({ limit, read: roughly(limitMetric(limit.metric)) }));
  const aggregate = aggregateRounds({ scenario, quick }, { latencies: needsLatencies ? 'merged' : 'left alone' });
  const spreads = gatherSpreads(scenario.load);
  const reader = readRounds(scenario, (round) => {
    aggregate.add(round);
    spreads.add(round);
  });
  const space = spaceOf(tune.factors.map(({ values, places }) => ({ size: values.length, places: places ?? null })));
  const [controlVariant] = scenario.variants;
  const control = (controlVariant && pointOfVariant(tune, controlVariant)) ?? [];
  const tried = new Map<string, Variant>();
  const refused = new Map<string, string>();
  const out = new Set<number>();
  /** Complete rounds of each setting, and the settings of the round that is under way. */
  const roundsOf = new Map<string, number>();
  let inSlots: readonly string[] = [];
  const numberOfVariant = (name: string): number | null => {
    const variant = tried.get(name);
    const point = variant && pointOfVariant(tune, variant);
    return point ? numberOf(space, point) : null;
  };
  const sign: 1 | -1 = judged.better === 'lower' ? -1 : 1;
  const slots = scenario.slots ?? 1;
  // In search rounds, of which one with fewer arms is a part: two of the control, and what is confirmed at most.
  const confirmRounds = Math.ceil((CONFIRM_ROUNDS * (2 + Math.min(slots, 1 + tune.factors.length))) / (2 + slots));
  const mostRounds = Math.min(MOST_ROUNDS, scenario.rounds.max - CONFIRM_ROUNDS);
  const marginLog = Math.log1p(scenario.marginPercent / 100);
  const look = (roundsLeft = Number.POSITIVE_INFINITY) => {
    const data = aggregate.data(reader.beside());
    const arms = [...scenario.variants, ...tried.values()].flatMap((variant) => {
      const point = pointOfVariant(tune, variant);
      const repeats = variant.name === doubledVariant(scenario) ? [false, true] : [false];
      return point === null ? [] : repeats.map((repeat) => ({ variant: variant.name, repeat, point }));
    });
    /** Values of arms by round: `read` has those under a load level, and `over` takes several levels together. */
    const seenOf = (
      read: (cell: ArmCell) => ReadonlyMap<number, number>,
      over: (values: readonly number[]) => number,
    ) =>
      arms.flatMap(({ point, ...arm }) => {
        const byLevel = scenario.load.levels.map((load) => read({ ...arm, load }));
        return data.rounds.flatMap((round): Seen[] => {
          const values = byLevel.flatMap((byRound) => byRound.get(round) ?? []);
          return values.length === 0 || values.length < byLevel.length ? [] : [{ round, point, value: over(values) }];
        });
      });
    const seen = seenOf(
      (cell) => logsOf(data.series(metric, [cell])),
      (values) => sign * mean(values),
    );
    const { breaks, excess } = breaking(
      { space, control },
      limits.map(({ limit, read }) =>
        seenOf(
          (cell) => stressOf(data, cell, limit, read),
          (values) => Math.max(...values),
        ),
      ),
    );
    const searched = { space, control, out: new Set([...out, ...withoutValue(seen)]), seen, breaks: breaks(SURELY) };
    const rounds = data.rounds.length;
    const rules: SearchRules = { slots, marginLog, seed, round: (data.rounds.at(-1) ?? 0) + 1 };
    const isLast = rounds > 0 && (rounds >= mostRounds || roundsLeft <= confirmRounds);
    const prospect = propose(searched, { ...rules, ...(isLast && { isLast }) });
    const { known } = prospect;
    // Of the control alone there is no curve.
    const isAlone = seen.every(({ point }) => numberOf(space, point) === numberOf(space, control));
    const model = isAlone ? null : known && { known, control, planned: controlVariant, sign };
    /**
     * The settings to confirm; null where the search continues. None that probably breaks a limit is, so that the control may be
     * left alone; where it breaks one itself, the setting that misses the limits by least stands beside it.
     */
    const toTake = (): Point[] | null => {
      if (known === null || !(isLast || known.missed < MOST_MISSED || prospect.next.length === 0)) return null;
      const likely = { ...searched, breaks: breaks(PROBABLY) };
      const asked = keep.length === 0 ? prospect : propose(likely, { ...rules, isLast: true });
      const found = toConfirm(likely, asked.known, rules);
      if (found.length > 0) return found;
      if (!isLast && prospect.next.length > 0) return null;
      const [nearest = control] = seen.map(({ point }) => point).sort((a, b) => excess(a) - excess(b));
      return likely.breaks(control) && numberOf(space, nearest) !== numberOf(space, control) ? [nearest] : [];
    };
    return { searched, rounds, prospect, model, toTake };
  };
  /** Settings that were tried often enough, and gave no value that counts. */
  const withoutValue = (seen: readonly Seen[]): number[] => {
    const valued = new Set(seen.map(({ point }) => numberOf(space, point)));
    return [...roundsOf].flatMap(([name, rounds]) => {
      const number = numberOfVariant(name);
      return number === null || rounds < MOST_WITHOUT_VALUE || valued.has(number) ? [] : [number];
    });
  };
  return {
    add(record) {
      reader.add(record);
      if (record.type === 'proposed') {
        for (const variant of record.variants) tried.set(variant.name, variant);
        inSlots = record.variants.map(({ name }) => name);
      } else if (record.type === 'refused') {
        refused.set(record.variant, record.reason);
        inSlots = inSlots.filter((name) => name !== record.variant);
        const number = numberOfVariant(record.variant);
        if (number !== null) out.add(number);
      } else if (record.type === 'round') for (const name of inSlots) roundsOf.set(name, (roundsOf.get(name) ?? 0) + 1);
    },
    decide(roundsLeft) {
      const { searched, prospect, model, toTake } = look(roundsLeft);
      const points = toTake();
      const variants = (points ?? prospect.next).map((point) => variantAt(tune, point, controlVariant));
      const proposed: Proposal = { stage: points === null ? 'search' : 'confirm', variants };
      return {
        stop: false,
        undecided: 1,
        detectablePercent: null,
        open: [],
        found: { decided: [], differing: [], same: 0 },
        spreads: spreads.spreads(),
        ...((points !== null || variants.length > 0) && { proposed }),
        search: model === null || searched.breaks?.(model.known.best) ? null : searchSoFar(tune, model),
      };
    },
    partsOf(setting) {
      const point = pointOfVariant(tune, setting) ?? control;
      const parts = partsOf(point, control);
      const { model } = look(0);
      const free = parts
        .filter((part) => !out.has(numberOf(space, part)))
        .map((part) => ({ part, gain: model?.known.changeOf(point, part).mean ?? 0 }));
      free.sort((a, b) => b.gain - a.gain);
      return { changes: parts.length, variants: free.map(({ part }) => variantAt(tune, part, controlVariant)) };
    },
    state() {
      const { searched, rounds, model } = look(0);
      return { searched, model, rounds, tried: [...tried.values()], refused, sign };
    },
  };
}

/** A percentile of few answers is rough, and says which way to go. */
function roughly({ percentile: _, ...metric }: Metric): Metric {
  return { ...metric, read: (sample) => metric.read(sample, 1) };
}

function logsOf({ byRound }: Series): ReadonlyMap<number, number> {
  return new Map([...byRound].flatMap(([round, { log }]) => (log === null ? [] : [[round, log] as const])));
}
