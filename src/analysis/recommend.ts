import { loadKey } from '../journal/load-level.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import { type Contest, type Finding, judgeFamily, otherVariants } from './compare.ts';
import type { Verdict } from './judge.ts';
import { markOf } from './marks.ts';
import { requestsPerSecond } from './metrics.ts';
import type { ArmCell, Observations } from './observations.ts';
import { type Against, reasonText, undecidedText } from './recommend-words.ts';
import type { Session } from './session.ts';
import { type Setting, settingsOf } from './settings.ts';

/** With more variants their pairs would be thousands, and what each of them may spend next to nothing. */
const MAX_COMPARED = 40;

/** Which setting to take under one load level. */
export interface Recommendation {
  readonly load: LoadLevel;
  /** The name of the variant to keep or take; null where nothing can be said. */
  readonly keep: string | null;
  readonly text: string;
}

/**
 * For each load level the smallest setting that is statistically as good as the best by 2xx/s: every other one is shown
 * to be lower, or the same within the margin. Never the arg max: among equals that is chance, and the smallest costs
 * least. Comparisons with the control are those of the tables; where the control is beaten or not the smallest, the variants are compared
 * with each other, as a family of their own (5 % over all their pairs). A setting whose requests failed more often than
 * the control's is not recommended, and not counted as better than another.
 */
export function recommend(
  observations: Observations,
  comparisons: readonly Finding[],
  session: Session,
): Recommendation[] {
  const headline = comparisons.filter(({ metric }) => metric === requestsPerSecond);
  const levels = observations.scenario.load.levels;
  const nothing = (text: string): Recommendation[] => levels.map((load) => ({ load, keep: null, text }));
  if (headline.length === 0) return nothing('there is nothing to choose from');
  if (session.verdict === 'unfit') return nothing('no recommendation: the session is unfit');
  if (observations.quick) return nothing('no recommendation: a quick run gives no verdicts');
  const { scenario } = observations;
  const isControlTheFirst = settingsOf(scenario)[0]?.variant === scenario.control;
  const isControlEnough = isControlTheFirst && headline.every(({ verdict }) => verdict !== 'higher');
  const pairs = isControlEnough ? [] : judgeFamily(observations, requestsPerSecond, variantPairs(observations));
  return levels.map((load) => {
    const here = (finding: Finding): boolean => loadKey(finding.load) === loadKey(load);
    return { load, ...choose(observations, load, [...headline, ...pairs].filter(here)) };
  });
}

/** Every pair of variants but the control, under every load level. */
function variantPairs(observations: Observations): Contest[] {
  const names = otherVariants(observations);
  if (names.length > MAX_COMPARED) return [];
  const pairs = names.flatMap((name, i) => names.slice(i + 1).map((other) => [name, other] as const));
  return observations.scenario.load.levels.flatMap((load) =>
    pairs.map(([name, other]) => ({ control: [cellOf(name, load)], cell: cellOf(other, load) })),
  );
}

function cellOf(variant: string, load: LoadLevel): ArmCell {
  return { variant, load, repeat: false };
}

function choose(
  observations: Observations,
  load: LoadLevel,
  findings: readonly Finding[],
): Omit<Recommendation, 'load'> {
  const { control } = observations.scenario;
  const settings = settingsOf(observations.scenario);
  const failing = new Set(settings.filter(({ variant }) => markOf(observations, cellOf(variant, load)) !== null));
  const against = (setting: Setting): Against[] =>
    settings.flatMap((other) => (other === setting ? [] : [relation(findings, setting, other, failing.has(other))]));
  for (const setting of settings) {
    if (failing.has(setting)) continue;
    const others = against(setting);
    if (others.every(({ verdict }) => verdict === 'same' || verdict === 'lower')) {
      const verb = setting.variant === control ? 'keep' : 'take';
      const reason = reasonText(others, observations.scenario.marginPercent);
      return { keep: setting.variant, text: `${verb} ${setting.label}: ${reason}` };
    }
  }
  const unbeaten = settings.filter(
    (setting) => !failing.has(setting) && against(setting).every(({ verdict }) => verdict !== 'higher'),
  );
  return {
    keep: null,
    text: undecidedText(
      unbeaten.map((setting) => ({ setting, others: against(setting) })),
      control,
    ),
  };
}

const turned: Readonly<Record<Verdict, Verdict>> = {
  higher: 'lower',
  lower: 'higher',
  same: 'same',
  unclear: 'unclear',
  invalid: 'invalid',
};

/** What `other` is to `setting`: from the comparison of the two, turned round where it was made the other way. */
function relation(findings: readonly Finding[], setting: Setting, other: Setting, fails: boolean): Against {
  // Faster because it failed is not faster, and slower for another reason is not worth telling.
  if (fails) return { other, fails, verdict: 'lower', interval: null, note: '' };
  const isSide = (cells: readonly ArmCell[], { variant }: Setting): boolean => cells[0]?.variant === variant;
  for (const { contest, verdict, interval, note } of findings) {
    if (isSide(contest.control, setting) && isSide([contest.cell], other)) {
      return { other, fails, verdict, interval, note };
    }
    if (isSide(contest.control, other) && isSide([contest.cell], setting)) {
      const back = interval && ([turnPercent(interval[1]), turnPercent(interval[0])] as const);
      return { other, fails, verdict: turned[verdict], interval: back, note };
    }
  }
  return { other, fails, verdict: 'unclear', interval: null, note: '' };
}

/** The change from b to a, where that from a to b is so many percent. */
function turnPercent(percent: number): number {
  return 100 * (1 / (1 + percent / 100) - 1);
}
