import { addTo } from '../../base/group-by.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { isControlDiscarded, viewOf } from '../../judge/judged-view.ts';
import type { TooManyVoid } from '../../judge/notes.ts';
import { addUncounted, nothingUncounted, type Uncounted } from '../../judge/read/cells/uncounted.ts';
import { sum } from '../../judge/stats/moments.ts';
import type { Summary } from '../../judge/summary.ts';

/** A variant, or the control, that has no slice that counts, under some load levels. */
export interface Lost extends Pick<TooManyVoid, 'byReason'> {
  readonly variant: string;
  readonly loads: readonly LoadLevel[];
  readonly slices: number;
  /** The requests of those slices; `mostly`: the status, `errors` or `timeouts` of more than half of the failed ones. */
  readonly failed: { readonly failed: number; readonly requests: number; readonly mostly?: string };
}

/** The variants whose slices are all discarded under a load level: the control, then the others in the order of the scenario. */
export function lostVariants(summary: Summary): Lost[] {
  const { control } = summary.run;
  const { levels, variants } = viewOf(summary);
  const withoutControl = levels.filter(({ changes }) => changes.some(isControlDiscarded));
  const all = [{ variant: control, discarded: withoutControl }, ...variants];
  return all.flatMap(({ variant, discarded }) => {
    const loads = discarded.map(({ load }) => load);
    const keys = new Set(loads.map(loadKey));
    // The control has two arms.
    const rows = summary.averages.filter(
      (row) => row.variant === variant && (!row.repeat || variant === control) && keys.has(loadKey(row.load)),
    );
    if (rows.length === 0) return [];
    const reasons = new Map<string, number>();
    for (const [reason, slices] of rows.flatMap(({ voided }) => Object.entries(voided))) addTo(reasons, reason, slices);
    const all = rows.map((row) => row.discarded ?? nothingUncounted).reduce(addUncounted);
    const { failed, requests } = all;
    const mostly = mostOf(all);
    return [
      {
        variant,
        loads,
        slices: sum(rows.map((row) => row.discarded?.slices ?? 0)),
        byReason: Object.fromEntries(reasons),
        failed: { failed, requests, ...(mostly !== undefined && { mostly }) },
      },
    ];
  });
}

function mostOf({ statuses, errors, timeouts, failed, requests }: Uncounted): string | undefined {
  const is2xx = ([status]: readonly [string, number]): boolean => status.startsWith('2');
  const all = Object.entries(statuses);
  // The scenario expects so many other answers, and which is not known here: a status may be of these.
  const expected = Math.max(0, requests - failed - sum(all.filter(is2xx).map(([, count]) => count)));
  const others = all.filter((one) => !is2xx(one)).map(([status, count]) => [status, count - expected] as const);
  const kinds = [...others, ['errors', errors], ['timeouts', timeouts]] as const;
  return kinds.find(([, count]) => 2 * count > failed)?.[0];
}
