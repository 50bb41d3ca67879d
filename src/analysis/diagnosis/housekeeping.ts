import type { Check } from './finding.ts';
import { percent } from './words.ts';

/** One in ten: fewer are measured again, and little is lost. */
const LEAST_SHARE = 0.1;

/** Checkpoints and autovacuum while slices were measured. Such slices do not count, and leave fewer that do. */
export const housekeeping: Check = ({ voids: { slices, byReason } }) => {
  const { checkpoint = 0, autovacuum = 0 } = byReason;
  const share = Math.max(checkpoint, autovacuum) / Math.max(1, slices);
  if (share < LEAST_SHARE) return null;
  const said = [
    ...(checkpoint > 0 ? [`a checkpoint in ${checkpoint}`] : []),
    ...(autovacuum > 0 ? [`autovacuum in ${autovacuum}`] : []),
  ];
  return {
    name: 'checkpoint-or-autovacuum',
    text: `${said.join(', ')} of ${slices} slices (${percent(share)})`,
    next: 'These slices do not count. Raise max_wal_size or checkpoint_timeout under stack.postgres.settings, or measure for less time at a stretch.',
    weight: 40 + 5 * share,
  };
};
