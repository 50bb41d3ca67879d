import { short } from '../../format.ts';
import type { CrossCheck } from '../cross-check.ts';

/** Before so many rounds few starts would say it. */
const LEAST_ROUNDS = 4;

/** A variant that scatters more from start to start than the control, or less. It is one of the variant, told under its first load level. */
export const noisierArm: CrossCheck = {
  name: 'noisier-arm',
  symptomIn({ scatter, arms, load, scenario }) {
    const rounds = Math.max(...arms.map((samples) => samples.size));
    if (!scatter?.isClear || rounds < LEAST_ROUNDS || load !== scenario.load.levels[0]) return null;
    const { times, interval } = scatter;
    const [low, high] = interval;
    return {
      text: `scatters ${short(times)} times [${short(low)}, ${short(high)}] as much from start to start as the control, all load levels together`,
      kind: low > 1 ? 'more' : 'less',
      next:
        low > 1
          ? 'What it gains or loses hangs on the start. Look for locks, a small pool, retries, disk reads or rare stalls that it alone has.'
          : 'The control is the noisier one. Look for locks, a small pool, retries, disk reads or rare stalls that the variant does not have.',
      weight: 50,
    };
  },
};
