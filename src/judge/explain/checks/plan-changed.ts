import { formatShare } from '../../../base/units.ts';
import { cutTo } from '../../format.ts';
import type { CrossCheck } from '../cross-check.ts';

/** A statement that takes less of all statements' time than this cannot explain a delta. */
const LEAST_TIME_SHARE = 0.02;
const MOST_TEXT = 80;

/** A statement whose usual plan the control never had. */
export const planChanged: CrossCheck = {
  name: 'plan-changed',
  symptomIn({ detail, control }) {
    if (control === null) return null;
    const total = [...detail.statements.values()].reduce((sum, { total_ms }) => sum + total_ms, 0);
    const changed = [...detail.plans].flatMap(([statement, shapes]) => {
      const before = control.detail.plans.get(statement);
      const usual = usualOf(shapes);
      // Statistics that a round's tables happen to have may change a plan now and then: only what never was is a change.
      if (before === undefined || usual === null || before.has(usual)) return [];
      const share = (detail.statements.get(statement)?.total_ms ?? 0) / Math.max(total, Number.MIN_VALUE);
      return share < LEAST_TIME_SHARE ? [] : [{ statement, share, usual, before: usualOf(before) ?? '' }];
    });
    const [first] = changed.sort((a, b) => b.share - a.share);
    if (first === undefined) return null;
    const others = changed.length === 1 ? '' : `; ${changed.length - 1} more statements have another plan`;
    return {
      text: `${differenceOf(first.before, first.usual)} in "${cutTo(MOST_TEXT, first.statement)}", ${formatShare(first.share)} of the statements' time${others}`,
      next: 'See EXPLAIN (ANALYZE, BUFFERS) of that statement in both variants, and the index that the control used.',
      weight: 82 + 5 * first.share,
    };
  },
};

function usualOf(shapes: ReadonlyMap<string, number>): string | null {
  return [...shapes].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** `Seq Scan on aliases appears (control: Index Scan on aliases using aliases_pkey)` */
function differenceOf(before: string, after: string): string {
  const appeared = without(after.split(' | '), before.split(' | '));
  const gone = without(before.split(' | '), after.split(' | '));
  const control = gone.length === 0 ? '' : ` (control: ${gone.join(', ')})`;
  if (appeared.length > 0) return `${appeared.join(', ')} ${appeared.length === 1 ? 'appears' : 'appear'}${control}`;
  return gone.length === 0 ? 'the plan has another order' : `the plan is without ${gone.join(', ')}`;
}

/** The nodes of one that the other has not, or has fewer times. */
function without(nodes: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return nodes.filter((node) => {
    const at = left.indexOf(node);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
