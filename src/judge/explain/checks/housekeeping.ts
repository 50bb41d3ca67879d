import { formatShare } from '../../../base/units.ts';
import type { CrossCheck } from '../cross-check.ts';

/** One in ten: fewer cost little. */
const LEAST_SHARE = 0.1;

/** Checkpoints and autovacuum while load was on: noise in every arm of the pass alike, which widens intervals. */
export const housekeeping: CrossCheck = {
  name: 'checkpoint-or-autovacuum',
  symptomIn({ detail, scenario }) {
    const { slices, checkpoints, autovacuums } = detail.housekeeping;
    const share = Math.max(checkpoints, autovacuums) / Math.max(1, slices);
    if (share < LEAST_SHARE) return null;
    const said = [
      ...(checkpoints > 0 ? [`a checkpoint in ${checkpoints}`] : []),
      ...(autovacuums > 0 ? [`autovacuum in ${autovacuums}`] : []),
    ];
    return {
      text: `${said.join(', ')} of ${slices} slices (${formatShare(share)})`,
      next: scenario.stack.postgres.housekeeping
        ? "Postgres's own housekeeping is on, so this is part of what is measured. A longer load.slice gives every arm more equal shares of it."
        : 'That is noise, and makes intervals wider. Raise max_wal_size or checkpoint_timeout under stack.postgres.settings, or measure for less time at a stretch.',
      weight: 40 + 5 * share,
    };
  },
};
