import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import type { JudgementNote, RecommendationNote, RoundsNeeded } from '../notes.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { caveatsOf } from './caveats.ts';
import { type JudgedComparison, judgeFamily } from './compare.ts';
import { type Contrast, otherVariants } from './contrasts.ts';
import type { Verdict } from './judge.ts';
import type { Session } from './session.ts';
import { inOrder, type Setting } from './variant-order.ts';

/** With more variants their pairs would be thousands, and what each of them may spend next to nothing. */
const MAX_COMPARED = 40;

/** Which setting to take under one load level. Settings are named as variants. */
export interface Recommendation {
  readonly load: LoadLevel;
  /** The variant to keep or take; null where nothing can be said. */
  readonly keep: string | null;
  /**
   * The setting that the lists below are held against: the one to keep; where there is none, one that no other is shown
   * to be better than (the control, if it is one of these). Null where there is none of these either.
   */
  readonly against: string | null;
  /** The same within the margin. */
  readonly same: readonly string[];
  readonly slower: readonly Slower[];
  /** More of their requests failed than of the control's, or they lost documents. */
  readonly failing: readonly string[];
  /** Not shown to be better or worse; empty where there is one to keep. */
  readonly undecided: readonly string[];
  readonly notes: readonly RecommendationNote[];
}

interface Slower {
  readonly variant: string;
  /** By how many percent: low, high, both below 0. Null where there is none. */
  readonly interval: readonly [number, number] | null;
}

/** Another setting, compared with the one in question. */
interface Against {
  readonly other: Setting;
  readonly fails: boolean;
  readonly verdict: Verdict;
  /** In percent; null where there is none. */
  readonly interval: readonly [number, number] | null;
  readonly notes: readonly JudgementNote[];
}

/**
 * For each load level the smallest setting that is statistically as good as the best by 2xx/s: every other one is shown
 * to be lower, or the same within the margin. Never the arg max: among equals that is chance, and the smallest costs
 * least. Comparisons with the control are those of the tables; where the control is beaten or not the smallest, the variants are compared
 * with each other, as a family of their own (5 % over all their pairs). A setting whose requests failed more often than
 * the control's is not recommended, and not counted as better than another.
 */
export function recommend(data: RunData, comparisons: readonly JudgedComparison[], session: Session): Recommendation[] {
  const judged = judgedMetric(data.scenario.load);
  const headline = comparisons.filter(({ metric }) => metric.name === judged.name);
  const levels = data.scenario.load.levels;
  const nothing = (kind: WhyNone): Recommendation[] => levels.map((load) => ({ load, ...none(kind) }));
  if (headline.length === 0) return nothing('no-variants');
  if (session.verdict === 'unfit') return nothing('unfit');
  if (data.quick) return nothing('quick');
  const { scenario } = data;
  const isControlTheFirst = inOrder(scenario)[0]?.variant === scenario.control;
  const isControlEnough = isControlTheFirst && headline.every(({ verdict }) => verdict !== judged.better);
  const pairs = isControlEnough ? [] : judgeFamily(data, judged, variantPairs(data));
  return levels.map((load) => {
    const here = (finding: JudgedComparison): boolean => loadKey(finding.load) === loadKey(load);
    return { load, ...choose(data, load, [...headline, ...pairs].filter(here)) };
  });
}

/** Every pair of variants but the control, under every load level. */
function variantPairs(data: RunData): Contrast[] {
  const names = otherVariants(data);
  if (names.length > MAX_COMPARED) return [];
  const pairs = names.flatMap((name, i) => names.slice(i + 1).map((other) => [name, other] as const));
  return data.scenario.load.levels.flatMap((load) =>
    pairs.map(([name, other]) => ({ control: [cellOf(name, load)], cell: cellOf(other, load) })),
  );
}

function cellOf(variant: string, load: LoadLevel): ArmCell {
  return { variant, load, repeat: false };
}

type Choice = Omit<Recommendation, 'load'>;
type WhyNone = Exclude<RecommendationNote['kind'], 'rounds-needed'>;

function none(kind: WhyNone): Choice {
  return { keep: null, against: null, same: [], slower: [], failing: [], undecided: [], notes: [{ kind }] };
}

function choose(data: RunData, load: LoadLevel, findings: readonly JudgedComparison[]): Choice {
  const { control } = data.scenario;
  const settings = inOrder(data.scenario);
  const failing = new Set(settings.filter(({ variant }) => caveatsOf(data, cellOf(variant, load)).length > 0));
  const others = new Map(
    settings.map((setting) => [setting, againstOf(findings, setting, settings, (other) => failing.has(other))]),
  );
  const whole = [...others].filter(([setting]) => !failing.has(setting));
  if (whole.length === 0) return none('none-borne');
  const best = whole.find(([, all]) => all.every(({ verdict }) => verdict === 'same' || verdict === 'lower'));
  if (best !== undefined) return { ...listed(...best), keep: best[0].variant };
  const unbeaten = whole.filter(([, all]) => all.every(({ verdict }) => verdict !== 'higher'));
  const open = unbeaten.find(([{ variant }]) => variant === control) ?? unbeaten[0];
  return open === undefined ? none('none-best') : listed(...open);
}

/** The other settings by what they are to one setting. */
function listed({ variant }: Setting, others: readonly Against[]): Choice {
  const whole = others.filter(({ fails }) => !fails);
  const named = (some: readonly Against[]): string[] => some.map(({ other }) => other.variant);
  const undecided = whole.filter(({ verdict }) => verdict !== 'same' && verdict !== 'lower');
  return {
    keep: null,
    against: variant,
    same: named(whole.filter(({ verdict }) => verdict === 'same')),
    slower: whole
      .filter(({ verdict }) => verdict === 'lower')
      .map(({ other, interval }) => ({
        variant: other.variant,
        interval: interval && [significant(interval[0]), significant(interval[1])],
      })),
    failing: named(others.filter(({ fails }) => fails)),
    undecided: named(undecided),
    notes: longestWait(undecided.flatMap(({ notes }) => notes)),
  };
}

/** The note with the most rounds that are still needed: more than the last look is more than any number. */
function longestWait(notes: readonly JudgementNote[]): RoundsNeeded[] {
  const roundsOf = ({ rounds }: RoundsNeeded): number => rounds ?? Number.POSITIVE_INFINITY;
  const waits = notes.filter((note) => note.kind === 'rounds-needed');
  return waits.sort((a, b) => roundsOf(b) - roundsOf(a)).slice(0, 1);
}

function againstOf(
  findings: readonly JudgedComparison[],
  setting: Setting,
  settings: readonly Setting[],
  fails: (other: Setting) => boolean,
): Against[] {
  return settings.flatMap((other) =>
    other === setting ? [] : [asRate(relation(findings, setting, other, fails(other)), findings[0]?.metric)],
  );
}

/** Lower is better for a latency or a time: what is said here of rates is said of it the other way round. */
function asRate(against: Against, metric: Metric | undefined): Against {
  if (metric?.better !== 'lower' || against.fails) return against;
  const { verdict, interval } = against;
  return { ...against, verdict: turned[verdict], interval: interval && [-interval[1], -interval[0]] };
}

const turned: Readonly<Record<Verdict, Verdict>> = {
  higher: 'lower',
  lower: 'higher',
  same: 'same',
  noise: 'noise',
  unfit: 'unfit',
};

/** `other` against `setting`: the comparison of the two, turned round where it was made the other way. */
function relation(findings: readonly JudgedComparison[], setting: Setting, other: Setting, fails: boolean): Against {
  // Faster because it failed is not faster, and slower for another reason is not worth telling.
  if (fails) return { other, fails, verdict: 'lower', interval: null, notes: [] };
  const isSide = (cells: readonly ArmCell[], { variant }: Setting): boolean => cells[0]?.variant === variant;
  for (const { contrast, verdict, interval, notes } of findings) {
    if (isSide(contrast.control, setting) && isSide([contrast.cell], other)) {
      return { other, fails, verdict, interval, notes };
    }
    if (isSide(contrast.control, other) && isSide([contrast.cell], setting)) {
      const back = interval && ([turnPercent(interval[1]), turnPercent(interval[0])] as const);
      return { other, fails, verdict: turned[verdict], interval: back, notes };
    }
  }
  return { other, fails, verdict: 'noise', interval: null, notes: [] };
}

/** The change from b to a, where that from a to b is so many percent. */
function turnPercent(percent: number): number {
  return 100 * (1 / (1 + percent / 100) - 1);
}
