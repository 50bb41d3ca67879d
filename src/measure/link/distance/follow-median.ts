/** A median that is followed while it changes. */
export interface FollowedMedian {
  /** In ms, from 0 to the most that was said. */
  ms(): number;
  /** One more observation was larger than it, or not. */
  add(isLarger: boolean): void;
}

export interface FollowOptions {
  readonly fromMs: number;
  readonly mostMs: number;
  /** How far one observation moves it; `seen`: how many there were before. */
  readonly stepMs: (seen: number) => number;
}

/** Moves by a small step with each observation (stochastic approximation: Robbins and Monro 1951). */
export function followMedian({ fromMs, mostMs, stepMs }: FollowOptions): FollowedMedian {
  let nowMs = Math.min(fromMs, mostMs);
  let seen = 0;
  return {
    ms: () => nowMs,
    add(isLarger) {
      const step = stepMs(seen++);
      nowMs = Math.min(mostMs, Math.max(0, nowMs + (isLarger ? step : -step)));
    },
  };
}
