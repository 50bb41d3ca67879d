import type { LoadTimes, Probe, ProbeContext, ProbedArm, ProbeMark, ProbeReading } from './probe.ts';
import { openSamplesFile } from './samples-file.ts';
import { tellOnce } from './warn-once.ts';

/** One sample of a slice. */
export interface Sample<T> {
  /** On a clock that only runs forwards. */
  readonly atMs: number;
  readonly value: T;
}

/** At least two: the beginning and the end. */
export type Samples<T> = readonly [Sample<T>, ...Sample<T>[], Sample<T>];

export interface SampledProbeOptions<Raw, T> {
  readonly name: string;
  readonly context: Pick<ProbeContext, 'samplesFolder' | 'onWarning'>;
  /** The columns of the CSV file, after those that every file has. */
  readonly columns: readonly string[];
  /** Samples are at least so far apart, and taken in the arm's own turns alone. What only counts needs few. */
  readonly everyMs: number;
  /** Returns the sampler of one arm in a pass. It throws where there is nothing to read. */
  reader(arm: ProbedArm): () => Raw | Promise<Raw>;
  /** Makes sense of what was read. Not beside the load: of samples under load it is called after it. Throws likewise. */
  digest(raw: Raw): T;
  rows(value: T): readonly (readonly (string | number | null)[])[];
  values(samples: Samples<T>, load: LoadTimes): ProbeReading['values'];
}

/**
 * A probe that reads at the beginning of a pass, now and then while the arm is under load, and at the pass's end. A read
 * that fails is one warning for the whole run; an arm whose beginning or end could not be read has no values.
 */
export function sampledProbe<Raw, T>(options: SampledProbeOptions<Raw, T>): Probe {
  const { name, context, columns, everyMs } = options;
  const file = openSamplesFile(context.samplesFolder, name, columns);
  const warn = tellOnce(name, context.onWarning);
  const running = new Set<Sampling<Raw>>();
  return {
    name,
    async begin(arm): Promise<ProbeMark> {
      const samplesOf = (moment: Moment<Raw> | null): Sample<T>[] => {
        if (moment === null) return [];
        try {
          const value = options.digest(moment.raw);
          for (const row of options.rows(value)) file.add(arm, moment.at, row);
          return [{ atMs: moment.atMs, value }];
        } catch (error) {
          warn(error);
          return [];
        }
      };
      const sampling = startSampling(options.reader(arm), arm.underLoad, warn);
      running.add(sampling);
      const [first] = samplesOf(await sampling.next());
      if (first !== undefined) sampling.repeat(everyMs);
      return {
        async end(load) {
          const rest = await sampling.end();
          running.delete(sampling);
          if (first === undefined) return null;
          const ending = await sampling.next();
          const underLoad = rest.flatMap(samplesOf);
          const [last] = samplesOf(ending);
          return last === undefined ? null : { values: rounded(options.values([first, ...underLoad, last], load)) };
        },
      };
    },
    async close() {
      // A pass that was broken off never got to its end.
      await Promise.all([...running].map((sampling) => sampling.end()));
      await file.close();
    },
  };
}

/** Six digits are more than any of these can be measured to, and keep the journal small. */
export function rounded(values: ProbeReading['values']): ProbeReading['values'] {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(6))]));
}

interface Moment<Raw> {
  readonly at: Date;
  readonly atMs: number;
  readonly raw: Raw;
}

interface Sampling<Raw> {
  /** Takes a sample after those that are being taken; null where that failed. */
  next(): Promise<Moment<Raw> | null>;
  /** Continues to take them, in the arm's turns. */
  repeat(everyMs: number): void;
  /** Stops, and returns what was taken meanwhile. */
  end(): Promise<Moment<Raw>[]>;
}

/** How often an arm that is due is looked at: turns are 50 ms and longer. */
const LOOK_MS = 20;

function startSampling<Raw>(
  read: () => Raw | Promise<Raw>,
  underLoad: () => boolean,
  onFailure: (error: unknown) => void,
): Sampling<Raw> {
  const meanwhile: Moment<Raw>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  let last: Promise<unknown> = Promise.resolve();
  const take = async (): Promise<Moment<Raw> | null> => {
    try {
      const raw = await read();
      return { at: new Date(), atMs: performance.now(), raw };
    } catch (error) {
      onFailure(error);
      return null;
    }
  };
  const takeUnderLoad = async (): Promise<void> => {
    const moment = await take();
    // An answer that came after the turn says nothing about load.
    if (moment !== null && underLoad()) meanwhile.push(moment);
  };
  return {
    async next() {
      await last;
      return take();
    },
    repeat(everyMs) {
      // Unreferenced, so that a pass that is broken off does not keep the bench alive.
      const waitFor = (ms: number): void => {
        timer = over ? undefined : setTimeout(look, ms).unref();
      };
      const look = (): void => {
        if (underLoad()) last = takeUnderLoad().then(() => waitFor(everyMs));
        else waitFor(LOOK_MS);
      };
      waitFor(everyMs / 2);
    },
    async end() {
      over = true;
      clearTimeout(timer);
      await last;
      return meanwhile;
    },
  };
}
