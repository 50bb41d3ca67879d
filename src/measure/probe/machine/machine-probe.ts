import type { LoadTimes, Probe, ProbedArm, ProbeReading } from '../probe.ts';
import { rounded, type Sample, type SampledProbeOptions, type Samples } from '../sampled-probe.ts';
import { openSamplesFile } from '../samples-file.ts';
import { tellOnce } from '../warn-once.ts';

export interface MachineProbeOptions<T> extends Omit<SampledProbeOptions<T, T>, 'reader' | 'digest' | 'values'> {
  /** Throws where there is nothing to be read. */
  read(): T;
  values(samples: Samples<T>, load: LoadTimes): ProbeReading['values'];
}

/** The arms that are observed at once, from the first that begins to the first that ends: nobody has load after that. */
interface MachinePass<T> {
  readonly arms: ProbedArm[];
  readonly first: Sample<T> | null;
  readonly timer: NodeJS.Timeout;
  last: Sample<T> | null | undefined;
}

/**
 * A probe of the machine alone: what it counts belongs to no arm, so it reads once at a pass's beginning and once at its
 * end, and tells every arm of the pass the same. In its samples stands the arm whose turn it was.
 */
export function machineProbe<T>({
  name,
  context,
  columns,
  everyMs,
  read,
  rows,
  values,
}: MachineProbeOptions<T>): Probe {
  const file = openSamplesFile(context.samplesFolder, name, columns);
  const tell = tellOnce(name, context.onWarning);
  let pass: MachinePass<T> | null = null;
  const take = (arms: readonly ProbedArm[]): Sample<T> | null => {
    try {
      const sample = { atMs: performance.now(), value: read() };
      const loaded = arms.find((arm) => arm.underLoad());
      const whose = loaded ?? { round: arms[0]?.round ?? 0, slice: '' as const, arm: '' };
      for (const row of rows(sample.value)) file.add(whose, new Date(), row);
      return sample;
    } catch (error) {
      tell(error);
      return null;
    }
  };
  const beginPass = (arm: ProbedArm): MachinePass<T> => {
    const arms = [arm];
    // Unreferenced, so that a pass that is broken off does not keep the bench alive.
    return { arms, first: take(arms), timer: setInterval(() => take(arms), everyMs).unref(), last: undefined };
  };
  return {
    name,
    async begin(arm) {
      // One of an earlier pass that was broken off has no end.
      const isNew = pass === null || pass.arms.some((other) => other.round !== arm.round || other.slice === arm.slice);
      if (isNew && pass !== null) clearInterval(pass.timer);
      const own: MachinePass<T> = isNew || pass === null ? beginPass(arm) : pass;
      if (own === pass) own.arms.push(arm);
      pass = own;
      return {
        async end(load) {
          if (own.last === undefined) {
            clearInterval(own.timer);
            if (pass === own) pass = null;
            own.last = take(own.arms);
          }
          if (own.first === null || own.last === null) return null;
          return { values: rounded(values([own.first, own.last], load)) };
        },
      };
    },
    async close() {
      if (pass !== null) clearInterval(pass.timer);
      await file.close();
    },
  };
}
