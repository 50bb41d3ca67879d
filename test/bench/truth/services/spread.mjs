// Answers after a time from a distribution, on a timer: each of its 1,000 quantiles comes once in 1,000 answers, in random order.
// So the tail is there in full, and its share is exact.
import { at, randomFrom, serve, setting } from './bare.mjs';

const COUNT = 1000;
const parameter = (name) => setting(name, Number.NaN);
const quantiles = {
  exponential: () => {
    const meanMs = parameter('MEAN_MS');
    return (p) => -meanMs * Math.log(1 - p);
  },
  lognormal: () => {
    const [medianMs, sigma] = [parameter('MEDIAN_MS'), parameter('SIGMA')];
    return (p) => medianMs * Math.exp(sigma * normalQuantile(p));
  },
  /** Ends at MOST_MS, as answers do that have a limit. */
  pareto: () => {
    const [leastMs, shape, mostMs] = [parameter('LEAST_MS'), parameter('SHAPE'), parameter('MOST_MS')];
    return (p) => Math.min(mostMs, leastMs * (1 - p) ** (-1 / shape));
  },
};

/** By bisection of the series of the error function (Abramowitz and Stegun 7.1.5), to 1e-9. */
function normalQuantile(p) {
  let [low, high] = [-5, 5];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < p) low = middle;
    else high = middle;
  }
  return low;
}
function normalShare(z) {
  let [term, sum] = [z, z];
  for (let k = 1; Math.abs(term) > 1e-14; k++) sum += term *= (z * z) / (2 * k + 1);
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

const quantile = quantiles[process.env.SPREAD]();
const timesMs = Array.from({ length: COUNT }, (_, i) => quantile((i + 0.5) / COUNT));
const random = randomFrom(process.pid);
function shuffle() {
  for (let i = COUNT - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [timesMs[i], timesMs[j]] = [timesMs[j], timesMs[i]];
  }
}
serve((number, answer) => {
  if (number % COUNT === 1) shuffle();
  at(performance.now() + timesMs[number % COUNT], answer);
});
