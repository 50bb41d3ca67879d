// Answers after BASE_MS on a timer, times a factor that each start draws anew: its logarithm is normal, with a mean of 0 and a
// standard deviation of SCATTER.
import { at, serve, setting } from './bare.mjs';

const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const heldMs = setting('BASE_MS', 5) * Math.exp(setting('SCATTER', 0) * normal);
serve((_, answer) => at(performance.now() + heldMs, answer));
