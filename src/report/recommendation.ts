import type { Summary } from '../analysis/summary.ts';
import { loadLabel } from '../journal/load-level.ts';

/** Which setting to take: a sentence per load level, and one for all of them where there are several. */
export function recommendationOf({ recommendation, run, session }: Summary): string[] {
  // The warnings have said why there are no verdicts.
  if (run.quick || session.verdict === 'unfit' || recommendation.length === 0) return [];
  const each = recommendation.map(({ load, text }) => `${loadLabel(load)}: ${text}.`);
  return recommendation.length === 1 ? each : [...each, overall(recommendation)];
}

function overall(recommendation: Summary['recommendation']): string {
  const open = recommendation.filter(({ keep }) => keep === null);
  const kept = [...new Set(recommendation.flatMap(({ keep }) => keep ?? []))];
  const [only] = kept;
  if (open.length === 0 && only !== undefined && kept.length === 1) return `All load levels agree: ${only}.`;
  if (kept.length > 1) return `No one setting for all load levels: ${kept.join(', ')} by load.`;
  const silent = open.map(({ load }) => loadLabel(load)).join(', ');
  return only === undefined
    ? 'All load levels: nothing can be said yet.'
    : `All load levels: ${only} where it can be said; nothing can be said yet for ${silent}.`;
}
