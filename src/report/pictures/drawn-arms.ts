import type { LoadLevel } from '../../journal/scenario-record.ts';
import { judgedOf } from '../../judge/judged-view.ts';
import type { ArmCell, RunData } from '../../judge/read/run-data.ts';
import type { Summary } from '../../judge/summary.ts';
import { controlArms } from '../../judge/verdicts/contrasts.ts';

/** Most variants besides the control: more lines could not be distinguished. */
export const MOST_DRAWN = 5;

/** An arm that pictures show, with the style of its line. */
export interface DrawnArm {
  readonly name: string;
  readonly style: number;
  /** Its cells under a load level; the control's two arms are drawn as one. */
  cells(load: LoadLevel): readonly ArmCell[];
}

/**
 * The control, and the variants whose results matter most, in the order of the scenario: recommended ones first, then the
 * largest changes of the judged metric that have a verdict, then the others.
 */
export function drawnArms(data: RunData, { run, comparisons, recommendation }: Summary): DrawnArm[] {
  const { control } = run;
  const kept = new Set(recommendation.flatMap(({ keep }) => keep ?? []));
  const telling = new Map<string, number>();
  for (const { metric, variant, verdict, deltaPercent } of comparisons) {
    if (metric !== judgedOf(run).name) continue;
    const size = verdict === 'higher' || verdict === 'lower' ? 1 + Math.abs(deltaPercent ?? 0) : 0;
    telling.set(variant, Math.max(size, telling.get(variant) ?? 0));
  }
  const rank = (variant: string): number => (kept.has(variant) ? Number.MAX_VALUE : (telling.get(variant) ?? 0));
  const others = run.variants.filter((variant) => variant !== control);
  const chosen = new Set([...others].sort((a, b) => rank(b) - rank(a)).slice(0, MOST_DRAWN));
  return [
    { name: control, style: 0, cells: (load) => controlArms(data, load) },
    ...others
      .filter((variant) => chosen.has(variant))
      .map((variant, place) => ({
        name: variant,
        style: place + 1,
        cells: (load: LoadLevel) => [{ variant, load, repeat: false }],
      })),
  ];
}
