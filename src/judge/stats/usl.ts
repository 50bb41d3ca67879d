import { tInterval } from './interval.ts';
import { mean } from './moments.ts';

/**
 * Gunther's Universal Scalability Law: X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), the throughput at N
 * concurrent clients. sigma is contention, kappa is coherency; with kappa > 0 throughput peaks at N* = sqrt((1 - sigma)
 * / kappa). N. J. Gunther, Guerrilla Capacity Planning (Springer, 2007), chapter 4.
 */
export interface UslParameters {
  readonly lambda: number;
  readonly sigma: number;
  readonly kappa: number;
}

/** The throughput of one load level, in each round of the same order; null where a round has none. */
export interface UslLevel {
  readonly clients: number;
  readonly byRound: readonly (number | null)[];
}

interface UslFit {
  readonly kind: 'fitted';
  readonly parameters: UslParameters;
  /** N*, and its 95 % interval. */
  readonly peak: number;
  readonly interval: readonly [low: number, high: number];
  /** The throughput at the peak. */
  readonly peakThroughput: number;
}

/** The law says nothing here, and why, for people. */
interface UslRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

export const USL_LEAST_LEVELS = 6;
/** Under these an interval from rounds is not worth having. */
const LEAST_ROUNDS = 4;
/** Root mean square distance of the levels from the curve, as a logarithm (about 10 %). */
const WORST_FIT = 0.1;
const ALPHA = 0.05;

/**
 * Fits the law to mean throughputs by nonlinear least squares on their logarithms. That weighs each level by its
 * relative error: the noise of throughput is a percentage of it. The peak's interval is a jackknife over rounds, with
 * pseudo-values of ln N* (Tukey, 1958) and Student's t. Rounds are the unit of replication, since the levels of one
 * round share a process. A fit to a single round often has no peak at all (kappa <= 0 by noise); one without a single
 * round is close to the whole.
 */
export function fitUsl(levels: readonly UslLevel[]): UslFit | UslRefusal {
  const refused = (reason: string): UslRefusal => ({ kind: 'refused', reason });
  const clients = levels.map((level) => level.clients);
  if (new Set(clients).size < USL_LEAST_LEVELS)
    return refused(`${new Set(clients).size} load levels; it takes ${USL_LEAST_LEVELS}`);
  const rounds = completeRounds(levels);
  if (rounds.length < LEAST_ROUNDS)
    return refused(`${rounds.length} rounds with a throughput at every load level; it takes ${LEAST_ROUNDS}`);
  const fitTo = (kept: readonly (readonly number[])[]): UslParameters | null =>
    fitCurve(clients.map((n, i) => ({ clients: n, logThroughput: mean(kept.map((round) => round[i] ?? Number.NaN)) })));
  const whole = fitTo(rounds);
  if (whole === null) return refused('the fit does not converge');
  const off = worstOf(levels, rounds, whole);
  if (off.rms > WORST_FIT)
    return refused(`throughput is not shaped like the law: ${off.percent} % off its curve at ${off.clients} clients`);
  const without = rounds.map((_, i) => fitTo(rounds.filter((__, j) => j !== i)));
  const jackknife = (statistic: (fit: UslParameters) => number): readonly [number, number] | null => {
    const values = without.map((fit) => {
      const left = fit === null ? Number.NaN : statistic(fit);
      return rounds.length * statistic(whole) - (rounds.length - 1) * left;
    });
    const range = values.every(Number.isFinite) ? tInterval(values, ALPHA) : null;
    return range && [range.low, range.high];
  };
  const kappa = jackknife((fit) => fit.kappa);
  if (whole.kappa <= 0 || kappa === null || kappa[0] <= 0) return refused('no peak can be found: kappa may be 0');
  const logPeak = jackknife((fit) => Math.log(peakOf(fit)));
  const peak = peakOf(whole);
  if (logPeak === null) return refused('no peak can be found: sigma may be 1');
  const [least, most] = [Math.min(...clients), Math.max(...clients)];
  if (peak > 2 * most) return refused(`the peak, at ${round(peak)} clients, lies far beyond the ${most} measured`);
  if (peak < least) return refused(`throughput only falls from the ${least} clients of the lowest load level`);
  return {
    kind: 'fitted',
    parameters: whole,
    peak,
    interval: [Math.exp(logPeak[0]), Math.exp(logPeak[1])],
    peakThroughput: throughputAt(whole, peak),
  };
}

/** The law's throughput at this many clients. */
export function throughputAt({ lambda, sigma, kappa }: UslParameters, clients: number): number {
  return (lambda * clients) / denominator(sigma, kappa, clients);
}

/** The logarithms of the throughputs, for each round that has every level. */
function completeRounds(levels: readonly UslLevel[]): number[][] {
  const count = Math.max(0, ...levels.map(({ byRound }) => byRound.length));
  return Array.from({ length: count }, (_, round) =>
    levels.flatMap(({ byRound }) => {
      const value = byRound[round] ?? 0;
      return value > 0 ? [Math.log(value)] : [];
    }),
  ).filter((logs) => logs.length === levels.length);
}

function peakOf({ sigma, kappa }: UslParameters): number {
  return Math.sqrt((1 - sigma) / kappa);
}

function denominator(sigma: number, kappa: number, n: number): number {
  return 1 + sigma * (n - 1) + kappa * n * (n - 1);
}

function worstOf(levels: readonly UslLevel[], rounds: readonly (readonly number[])[], fit: UslParameters) {
  const residuals = levels.map(
    ({ clients }, i) => mean(rounds.map((logs) => logs[i] ?? Number.NaN)) - Math.log(throughputAt(fit, clients)),
  );
  const worst = residuals.reduce((at, residual, i) => (Math.abs(residual) > Math.abs(residuals[at] ?? 0) ? i : at), 0);
  return {
    rms: Math.sqrt(mean(residuals.map((residual) => residual ** 2))),
    percent: round(100 * Math.abs(Math.expm1(residuals[worst] ?? 0))),
    clients: levels[worst]?.clients ?? 0,
  };
}

function round(value: number): number {
  return Number(value.toPrecision(2));
}

interface CurvePoint {
  readonly clients: number;
  readonly logThroughput: number;
}

const MOST_STEPS = 200;

/**
 * Least squares of ln X by Levenberg and Marquardt in (sigma, kappa): for any such pair the best ln lambda is the mean
 * of the rest. Null where it does not converge.
 */
function fitCurve(points: readonly CurvePoint[]): UslParameters | null {
  let at = startOf(points);
  let now = residualsAt(points, at.sigma, at.kappa);
  let damping = 1e-3;
  for (let step = 0; now !== null && step < MOST_STEPS; step++) {
    const [dSigma, dKappa] = stepFrom(now, damping);
    const next = { sigma: at.sigma + dSigma, kappa: at.kappa + dKappa };
    const then = residualsAt(points, next.sigma, next.kappa);
    if (then !== null && then.sum <= now.sum) {
      const done = now.sum - then.sum <= 1e-15 * now.sum && Math.abs(dKappa) <= 1e-9 * Math.abs(next.kappa);
      at = next;
      now = then;
      damping = Math.max(1e-12, damping / 10);
      if (done) break;
    } else {
      damping *= 10;
      // As near as numbers can tell.
      if (damping > 1e12) break;
    }
  }
  return now === null ? null : { lambda: Math.exp(now.logLambda), ...at };
}

/** No contention, and a peak at the last level: from here every curve that has a peak can be reached downhill. */
function startOf(points: readonly CurvePoint[]): { sigma: number; kappa: number } {
  const most = Math.max(...points.map(({ clients }) => clients));
  return { sigma: 0.01, kappa: 1 / most ** 2 };
}

interface Residuals {
  readonly logLambda: number;
  readonly sum: number;
  readonly rows: readonly { readonly residual: number; readonly bySigma: number; readonly byKappa: number }[];
}

/** Residuals with their derivatives, both about their means since lambda takes those up; null outside of the law. */
function residualsAt(points: readonly CurvePoint[], sigma: number, kappa: number): Residuals | null {
  const raw = points.map(({ clients: n, logThroughput }) => {
    const below = denominator(sigma, kappa, n);
    return {
      left: logThroughput - Math.log(n) + Math.log(below),
      bySigma: (n - 1) / below,
      byKappa: (n * (n - 1)) / below,
      valid: below > 0,
    };
  });
  if (!raw.every(({ valid }) => valid)) return null;
  const logLambda = mean(raw.map(({ left }) => left));
  const meanSigma = mean(raw.map(({ bySigma }) => bySigma));
  const meanKappa = mean(raw.map(({ byKappa }) => byKappa));
  const rows = raw.map(({ left, bySigma, byKappa }) => ({
    residual: left - logLambda,
    bySigma: bySigma - meanSigma,
    byKappa: byKappa - meanKappa,
  }));
  return { logLambda, rows, sum: rows.reduce((sum, { residual }) => sum + residual ** 2, 0) };
}

/** Marquardt's step: the normal equations with their diagonal enlarged. */
function stepFrom({ rows }: Residuals, damping: number): readonly [number, number] {
  let [ss, sk, kk, sr, kr] = [0, 0, 0, 0, 0];
  for (const { residual, bySigma, byKappa } of rows) {
    ss += bySigma * bySigma;
    sk += bySigma * byKappa;
    kk += byKappa * byKappa;
    sr -= bySigma * residual;
    kr -= byKappa * residual;
  }
  ss *= 1 + damping;
  kk *= 1 + damping;
  const determinant = ss * kk - sk * sk;
  return [(sr * kk - kr * sk) / determinant, (kr * ss - sr * sk) / determinant];
}
