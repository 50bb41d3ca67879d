import type { TurnWorkRecord } from '../../../../src/journal/slice-record.ts';
import type { MeteredArm, TurnMeter } from '../../../../src/measure/probe/meter/turn-meter.ts';

export interface FakeTurnMeter extends TurnMeter {
  /** What was asked of it: `begin 2`, `edge null 0`, `end`, `release`. */
  readonly calls: readonly string[];
  /** The arms of the pass that began last. */
  readonly arms: readonly MeteredArm[];
}

export const noWork: TurnWorkRecord = {
  serviceCpuMs: null,
  postgresCpuMs: null,
  idleCpuMs: null,
  idleMs: 0,
  walBytes: null,
  tcpSegments: null,
  tcpRetransmits: null,
  listenOverflows: null,
};

/** Says of each arm what it is told to say. */
export function fakeTurnMeter(
  workOf: (arm: MeteredArm, index: number) => Partial<TurnWorkRecord> = () => ({}),
): FakeTurnMeter {
  const calls: string[] = [];
  let arms: readonly MeteredArm[] = [];
  return {
    calls,
    get arms() {
      return arms;
    },
    async begin(metered) {
      arms = metered;
      calls.push(`begin ${metered.length}`);
    },
    async edge(ended, next) {
      calls.push(`edge ${ended} ${next}`);
    },
    async end() {
      calls.push('end');
      return arms.map((arm, index) => ({ ...noWork, ...workOf(arm, index) }));
    },
    async release() {
      calls.push('release');
    },
  };
}
