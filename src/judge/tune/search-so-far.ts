import type { ModelledChange, SearchSoFar } from '../../journal/open-estimate.ts';
import type { Variant } from '../../journal/scenario-record.ts';
import type { TuneSpec } from '../../journal/tune/tune-spec.ts';
import { variantAt } from '../../journal/tune/variant-at.ts';
import { significant, toPercent } from '../stats/rounding.ts';
import type { Known } from './propose.ts';
import type { Point } from './space.ts';

/** Half a range of 95 % of the normal distribution, in standard deviations. */
const NORMAL_95 = 1.96;

/** The model of a search, the control, its variant, and -1 where less of the judged metric is better. */
export interface Model {
  readonly known: Known;
  readonly control: Point;
  readonly planned: Variant | undefined;
  readonly sign: 1 | -1;
}

/** The change of a point's judged metric against the control, by the model. */
export function modelledChange({ known, control, sign }: Model, point: Point): ModelledChange {
  const { mean, deviation } = known.changeOf(point, control);
  const at = (deviations: number): number => significant(toPercent(sign * mean + deviations * deviation));
  return { percent: at(0), range: [at(-NORMAL_95), at(NORMAL_95)] };
}

/** State of a search: the best by its model, and what is left to gain. */
export function searchSoFar(tune: TuneSpec, model: Model): SearchSoFar {
  const { best, gain } = model.known;
  return {
    best: variantAt(tune, best, model.planned).name,
    ...modelledChange(model, best),
    gainPercent: significant(toPercent(gain)),
  };
}
