import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { MetricName } from '../../judge/read/metrics/metrics.ts';
import { sum } from '../../judge/stats/moments.ts';
import type { Summary } from '../../judge/summary.ts';
import { type Average, averageValue } from '../../judge/verdicts/averages.ts';
import { unfinishedWord } from '../tables/arm-name.ts';
import { factorNames } from '../tables/two-way.ts';

/** A variant as a row. The control's numbers are of both its arms, so that changes are of what stands there. */
export interface ClassicRow {
  readonly variant: string;
  readonly isControl: boolean;
  readonly average: Average;
  /** In place of numbers where no request came back as expected. */
  readonly word: string | null;
  /** 2xx answers of a round, the mean of rounds. */
  readonly okPerRound: number | null;
  value(metric: MetricName): number | null;
}

/** The variants under a load level, in the order of the scenario. */
export function classicRows({ run, averages, comparisons }: Summary, load: LoadLevel): ClassicRow[] {
  const [arms, changes] = [underLoad(averages, load), underLoad(comparisons, load)];
  return run.variants.flatMap((variant) => {
    const own = arms.filter((one) => one.variant === variant);
    const average = own.find(({ repeat }) => !repeat);
    if (average === undefined) return [];
    const isControl = variant === run.control;
    const rounds = sum(own.map((one) => one.rounds));
    const both = new Map(changes.map(({ metric, control }) => [metric, control]));
    return [
      {
        variant,
        isControl,
        average,
        word: unfinishedWord(average),
        okPerRound: rounds === 0 ? null : sum(own.map(({ ok }) => ok)) / rounds,
        value: (metric: MetricName) => (isControl ? both.get(metric) : null) ?? averageValue(average, metric),
      },
    ];
  });
}

/** `Pool: 25` for `pool=25` where that is all that varies, else the name of the variant. */
export function classicName(summary: Summary, variant: string): string {
  const [factor, ...others] = factorNames(summary);
  const level = summary.run.settings.find((one) => one.variant === variant)?.factors[factor ?? ''];
  return factor === undefined || level === undefined || others.length > 0 ? variant : `${capital(factor)}: ${level}`;
}

/** The head over such names: `Pool Size` for `pool`; `Test` where more varies than one factor. */
export function classicCorner(summary: Summary): string {
  const [factor, ...others] = factorNames(summary);
  if (factor === undefined || others.length > 0) return 'Test';
  return factor.toLowerCase() === 'pool' ? 'Pool Size' : capital(factor);
}

/** The control in a table of the database: `Default: 10` for `pool=10`. */
export function classicDefault(summary: Summary, variant: string): string {
  const name = classicName(summary, variant);
  return name === variant ? name : name.replace(/^[^:]*:/, 'Default:');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
