import { confirmedProposal } from '../../journal/line-up.ts';
import type { JournalRecord } from '../../journal/records.ts';
import type { FactorValue, LoadLevel, Variant } from '../../journal/scenario-record.ts';
import { judgedMetric } from '../read/metrics/judged-metric.ts';
import type { RunData } from '../read/run-data.ts';
import { significantOrNull, significantRange } from '../stats/rounding.ts';
import { judgeFamily } from '../verdicts/compare.ts';

/** The change of the judged metric that a factor of the setting to take makes, in percent: against the same with the control's value of it. */
export interface FactorGain {
  readonly factor: string;
  readonly load: LoadLevel;
  readonly deltaPercent: number;
  readonly interval: readonly [number, number];
  /** In how many rounds both were measured. */
  readonly rounds: number;
}

/** Gains of the factors that were left out by themselves, the largest first; empty where only one was changed. */
export function factorGains(judged: RunData, taken: string | null, records: Iterable<JournalRecord>): FactorGain[] {
  const { control, load, tune } = judged.scenario;
  const all = [...judged.scenario.variants, ...(confirmedProposal(records)?.variants ?? [])];
  const variants = [...new Map(all.map((one) => [one.name, one])).values()];
  const data: RunData = { ...judged, scenario: { ...judged.scenario, variants } };
  const named = (name: string | null): Variant | undefined => variants.find((variant) => variant.name === name);
  const [best, own] = [named(taken), named(control)];
  if (best === undefined || own === undefined || tune === undefined) return [];
  const without = Object.entries(own.factors).flatMap(([factor, value]) => {
    const wanted = { ...best.factors, [factor]: value };
    const found = variants.find((one) => one !== best && one !== own && isSame(one.factors, wanted));
    return found === undefined ? [] : [{ factor, name: found.name }];
  });
  return load.levels
    .flatMap((level) => {
      const arm = (variant: string) => ({ variant, load: level, repeat: false });
      const pairs = without.map(({ name }) => ({ control: [arm(name)] as const, cell: arm(best.name) }));
      return judgeFamily(data, judgedMetric(data.scenario), pairs).flatMap(
        ({ deltaPercent, interval, rounds }, place) => {
          const { factor = '' } = without[place] ?? {};
          const size = significantOrNull(deltaPercent);
          return size === null || interval === null
            ? []
            : [{ factor, load: level, deltaPercent: size, interval: significantRange(interval), rounds }];
        },
      );
    })
    .sort((a, b) => Math.abs(b.deltaPercent) - Math.abs(a.deltaPercent));
}

function isSame(one: Readonly<Record<string, FactorValue>>, other: Readonly<Record<string, FactorValue>>): boolean {
  return Object.entries(one).every(([factor, value]) => String(value) === String(other[factor]));
}
