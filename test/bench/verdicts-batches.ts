import type { JudgedComparison } from '../../src/analysis/judge/compare.ts';
import { type Noise, noises, simulateSession, stresses } from './verdicts-session.ts';

/** Sessions of one kind at one noise level; session i has seed i. */
export interface VerdictBatch {
  readonly kind: 'flat' | '20 variants' | '5 variants x 4 loads' | 'stressed' | 'planted' | 'pool';
  readonly noise: Noise;
  /** Without the control. */
  readonly variants: number;
  readonly loads: number;
  /** The effect that variants have; 0: none. */
  readonly plantedPercent: number;
  /** Which variant has it, counted from 0; null: all have. */
  readonly planted: number | null;
  readonly sessions: number;
}

/** How many sessions of each kind. */
export interface Effort {
  readonly single: number;
  readonly sweep: number;
  /** Those in which arms are not equally noisy. */
  readonly stressed: number;
}

export const levels: readonly Noise[] = Object.values(noises);

const noEffect = { plantedPercent: 0, planted: null } as const;
const oneCell = { variants: 1, loads: 1 } as const;
const manyVariants = { variants: 20, loads: 1 } as const;

/** All sessions that the promises are held against. */
export function verdictBatches({ single, sweep, stressed }: Effort): VerdictBatch[] {
  return [
    ...levels.map((noise) => ({ kind: 'flat', noise, ...oneCell, ...noEffect, sessions: single }) as const),
    ...levels.map((noise) => ({ kind: '20 variants', noise, ...manyVariants, ...noEffect, sessions: sweep }) as const),
    { kind: '5 variants x 4 loads', noise: noises.typical, variants: 5, loads: 4, ...noEffect, sessions: sweep },
    ...Object.values(stresses).map(
      (noise) => ({ kind: 'stressed', noise, ...manyVariants, ...noEffect, sessions: stressed }) as const,
    ),
    ...[2, 5, 10].flatMap((plantedPercent) =>
      levels.map(
        (noise) => ({ kind: 'planted', noise, ...oneCell, plantedPercent, planted: null, sessions: single }) as const,
      ),
    ),
    // A pool size sweep as people run it: three variants, three load levels, one variant that differs.
    ...[5, 10].flatMap((plantedPercent) =>
      [noises.typical, noises.shared].map(
        (noise) =>
          ({ kind: 'pool', noise, variants: 3, loads: 3, plantedPercent, planted: 1, sessions: sweep }) as const,
      ),
    ),
  ];
}

/** What the promises are about, as it goes from one process to another. */
export interface PlayedSession {
  readonly rounds: number;
  readonly unfit: boolean;
  readonly cells: readonly {
    readonly effect: number;
    readonly verdict: JudgedComparison['verdict'];
    readonly interval: JudgedComparison['interval'];
  }[];
}

/** Plays sessions `from` to before `to` of a batch. */
export function playBatch(batch: VerdictBatch, from: number, to: number): PlayedSession[] {
  const { noise, variants, loads, plantedPercent, planted } = batch;
  return Array.from({ length: to - from }, (_, i) => {
    const seed = from + i;
    // Half the sessions plant a gain, the others a loss of the same size in logarithms.
    const effect = (seed % 2 === 0 ? 1 : -1) * Math.log1p(plantedPercent / 100);
    const effectOf = (variant: number): number => (planted === null || planted === variant ? effect : 0);
    const { rounds, unfit, cells } = simulateSession({ noise, variants, loads, effect: effectOf }, seed);
    const played = cells.map((cell) => {
      const { verdict, interval } = cell.finding;
      return { effect: cell.effect, verdict, interval };
    });
    return { rounds, unfit, cells: played };
  });
}
