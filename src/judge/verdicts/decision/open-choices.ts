import type { OpenChoice } from '../../../journal/open-estimate.ts';
import type { Metric } from '../../read/metrics/metrics.ts';
import type { Decision } from './decide.ts';
import { type PercentOf, percentIn } from './percent.ts';

/** The load levels without a decision that more rounds may decide. */
export function openChoices(decisions: readonly Decision[], metric: Metric): OpenChoice[] {
  return decisions.flatMap((decision) => openChoice(decision, percentIn(metric)));
}

function openChoice({ load, first, settings, marginLog }: Decision, percentOf: PercentOf): OpenChoice[] {
  if (first === null || first.isEnough) return [];
  const bounds = first.rivals.map((rival) => ({ rival, most: rival.most(first.share) }));
  const open = bounds.filter(({ most }) => most === null || most >= marginLog);
  // What is withheld for another reason than noise no round decides.
  if (open.length > 0 && open.every(({ rival }) => rival.isWithheld)) return [];
  const label = (variant: string): string => settings.find((one) => one.variant === variant)?.label ?? variant;
  const known = open.flatMap(({ rival, most }) => (most === null ? [] : [{ setting: label(rival.other), most }]));
  const [worst] = known.sort((a, b) => b.most - a.most);
  const rival = worst === undefined ? null : { setting: worst.setting, percent: percentOf(worst.most) };
  return [{ load, setting: first.setting.label, rival, roundsNeeded: first.roundsNeeded }];
}
