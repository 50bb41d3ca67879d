import { present } from '../../base/present.ts';
import { limitLabel } from '../../journal/capacity/capacity-spec.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { elementsOf } from '../../journal/postgres/list-settings.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { TunedFactor, TuneSpec } from '../../journal/tune/tune-spec.ts';
import { DEFAULT_PLACE } from '../../journal/tune/variant-at.ts';
import { formatChange, formatDelta, formatSize, plural } from '../../judge/format.ts';
import { viewOf } from '../../judge/judged-view.ts';
import type { Summary } from '../../judge/summary.ts';
import { comparedName } from './judged.ts';
import { keptWords } from './limit-words.ts';

/** True where a run has no confirmed setting yet, and so nothing that is judged. */
export function isSearching({ search }: Pick<Summary, 'search'>): boolean {
  return search?.confirmed === null;
}

/** Lines of a plan: what is searched of each factor, and the limits to keep. Empty where nothing is searched. */
export function searchedLines(tune: TuneSpec | undefined): string[] {
  const { factors = [], keep } = tune ?? {};
  return present([
    ...factors.map((factor) => `searched: ${factor.name} ${valuesWords(factor)}${beyondWords(factor)}`),
    keep && `kept: ${keep.map(limitLabel).join(', ')}`,
  ]);
}

/** `from 1 to 100, 26 values`, `on, off` */
function valuesWords({ values, places }: TunedFactor): string {
  if (places === undefined) return values.join(', ');
  const [first] = values.filter((_, place) => places[place] !== DEFAULT_PLACE);
  return `from ${first} to ${values.at(-1)}, ${values.length} values${first === values[0] ? '' : ' with its default'}`;
}

/** `; pool 120 and more are not tried: max_connections leaves 97`, after the values of a factor; empty where all have room. */
export function beyondWords({ name, beyond }: Pick<TunedFactor, 'name' | 'beyond'>): string {
  if (beyond === undefined) return '';
  return `; ${name} ${beyond.from} and more are not tried: max_connections leaves ${beyond.connections}`;
}

/**
 * Lines that put a confirmed setting into effect, after one another: of the one to take, or of each that may be it and is better
 * than the control. Null where the control is kept.
 */
export function pasteLine(summary: Summary): string | null {
  const { recommended, search } = summary;
  const confirmed = search?.confirmed ?? [];
  if (confirmed.length === 0) return null;
  const names = recommended.variant === null ? betterCandidates(summary) : [recommended.variant];
  const taken = confirmed.filter(({ variant }) => names.includes(variant));
  if (taken.length === 0) return null;
  return taken
    .map(({ variant, env, settings, hideIndex, showIndex = [] }) => {
      const lines = [
        ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
        ...Object.entries(settings).map(
          ([name, value]) => `ALTER SYSTEM SET ${name} = ${elementsOf(name, String(value)).map(sqlText).join(', ')}`,
        ),
        ...hideIndex.map((index) => `DROP INDEX ${sqlName(index)}`),
        ...showIndex.map((index) => `create the index ${index}`),
      ];
      return `To take ${variant}: ${lines.join('; ')}`;
    })
    .join('. ');
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `"public"."Name"`: the parts of an index's name in double quotes, as a reserved word such as order needs them, too. */
function sqlName(index: string): string {
  const parts = /^([^.]+)\.(.+)$/.exec(index)?.slice(1) ?? [index];
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
}

/** `Take pool=12: +17.6 % [+10, +25] against pool=10; nothing else that was confirmed is more than 4.4 % better` */
export function takenWords(summary: Summary, { variant, othersBetterPercent }: Summary['recommended']): string {
  const { control } = summary.run;
  const confirmed = summary.search?.confirmed?.length;
  if (confirmed === 0) return `Keep the control, ${control}: ${nothingLeftWords(summary)}`;
  const more = othersBetterPercent === null ? null : formatSize(othersBetterPercent);
  if (variant === null || variant === control)
    return `Keep the control, ${control}: ${more === null ? 'nothing else that was confirmed can be taken' : `the best that the search found is at most ${more} % better`}`;
  const isFailing = summary.recommendation.some(({ failing }) => failing.length > 0);
  const others = `nothing else that was confirmed${isFailing ? ' and can be taken' : ''}`;
  const bound =
    confirmed === 1 || more === null
      ? ''
      : `; ${others} is ${othersBetterPercent === 0 ? '' : `more than ${more} % `}better`;
  return `Take ${variant}: ${changesOf(summary, variant)} against ${control}${mostWords(summary, variant)}${bound}`;
}

/** The reason why a search confirms nothing beside the control. */
function nothingLeftWords({ search }: Summary): string {
  const trials = search?.trials ?? [];
  if (trials.length === 0 || trials.some(({ refused }) => refused === undefined))
    return 'the search left no other setting that can be taken';
  return `server or service refused ${trials.length === 1 ? 'the other setting' : `all ${trials.length} other settings`} that the search tried`;
}

/** `; most of it comes from pool (+15.0 %)`: the factor that gives half of a change or more, where that was measured and is certain. */
function mostWords({ gains = [], run, ...summary }: Summary, variant: string): string {
  const [most] = gains;
  const whole =
    viewOf({ ...summary, run }).levels[0]?.changes.find((one) => one.variant === variant)?.deltaPercent ?? 0;
  if (most === undefined || run.loads.length > 1 || most.interval[0] * most.interval[1] <= 0) return '';
  const share = most.deltaPercent / whole;
  return share >= 0.5 ? `; most of it comes from ${most.factor} (${formatDelta(most.deltaPercent)})` : '';
}

/** The settings of which each may be the one to take, where all are better than the control; null where there are none. */
export function betterWords(summary: Summary): string | null {
  const names = betterCandidates(summary);
  if (names.length < 2) return null;
  const each = names.map((name) => `${name} ${changesOf(summary, name)}`);
  return `${names.length === 2 ? 'Both' : 'All'} are better than ${summary.run.control}: ${each.join('; ')}.`;
}

function betterCandidates(summary: Summary): string[] {
  const [first, ...others] = summary.recommendation.map(({ candidates }) => [...candidates]);
  const names = (first ?? []).filter((name) => others.every((own) => own.includes(name)));
  const { metric, variants } = viewOf(summary);
  const good = metric.better === 'lower' ? 'lower' : 'higher';
  const isBetter = (name: string): boolean =>
    variants.some(
      ({ variant, differing, same, unclear }) =>
        variant === name && same.length + unclear.length === 0 && differing.every(({ verdict }) => verdict === good),
    );
  return names.every(isBetter) ? names : [];
}

/** `+17.6 % [+10, +25]`, of several load levels each with its own; with the metric where it is not 2xx/s. */
function changesOf(summary: Summary, name: string): string {
  const { levels } = viewOf(summary);
  const metric = comparedName(summary);
  return levels
    .flatMap(({ changes }) => changes.filter(({ variant }) => variant === name))
    .map(({ load, deltaPercent, interval }) =>
      present([
        metric !== '2xx/s' && metric,
        deltaPercent === null
          ? 'n/a'
          : interval === null
            ? formatDelta(deltaPercent)
            : formatChange(deltaPercent, interval),
        levels.length > 1 && `(${loadLabel(load)})`,
      ]).join(' '),
    )
    .join(', ');
}

/** The gain of each factor of the setting to take, the largest first, and which it can do without; null where none was left out by itself. */
function gainsLine({ gains = [], ...summary }: Summary): string | null {
  const { run, recommended } = summary;
  if (gains.length === 0) return null;
  const each = gains.map(
    ({ factor, deltaPercent, interval, load, rounds }) =>
      `${factor} ${formatChange(deltaPercent, interval)} (${plural(rounds, 'round')})${whereWords(run, load)}`,
  );
  const sign = viewOf(summary).metric.better === 'lower' ? -1 : 1;
  const without = gains.flatMap(({ factor, interval, load }) => {
    const isWorse = interval.every((end) => sign * end < 0);
    if (!isWorse && interval.some((end) => Math.abs(end) > run.marginPercent)) return [];
    return `Without ${factor} it is ${isWorse ? 'better still' : `as good within ${run.marginPercent} %`}${whereWords(run, load)}.`;
  });
  const measured = new Set(gains.map(({ factor }) => factor)).size;
  const changes = changesIn(run, recommended.variant);
  const which = measured < changes ? `${measured} of its ${changes} changes give, each` : 'each factor gives,';
  return [`What ${which} against the same setting without it: ${each.join(', ')}.`, ...without].join(' ');
}

/** How many factors of a setting differ from the control's. */
function changesIn({ settings, control }: Summary['run'], variant: string | null): number {
  const factorsOf = (name: string | null) => settings.find((one) => one.variant === name)?.factors ?? {};
  const own = factorsOf(control);
  return Object.entries(factorsOf(variant)).filter(([name, value]) => String(value) !== String(own[name])).length;
}

/** ` (25 connections)`; empty where a run has one load level. */
function whereWords({ loads }: Pick<Summary['run'], 'loads'>, load: LoadLevel): string {
  return loads.length === 1 ? '' : ` (${loadLabel(load)})`;
}

/** The bound of each limit that the setting to take keeps; null where there are none. */
function keptLine({ kept = [], recommended, run }: Summary): string | null {
  const own = kept.filter(({ variant }) => variant === recommended.variant);
  if (own.length === 0) return null;
  const each = own.map((one) => `${keptWords(one)}${whereWords(run, one.load)}`);
  return `${recommended.variant}, each bound one-sided at 95 %: ${each.join(', ')}.`;
}

/** Facts of a search and of the setting to take: a sentence or two each. */
export function searchFacts(summary: Summary): string[] {
  return present([searchLine(summary), gainsLine(summary), keptLine(summary)]);
}

/** The rounds of a search, in a sentence or two; null where the run named its variants. */
export function searchLine({ search }: Pick<Summary, 'search'>): string | null {
  if (search === undefined) return null;
  const { rounds, confirmed, best, trials } = search;
  const refused = trials.filter((trial) => trial.refused !== undefined).length;
  const broken = trials.filter((trial) => trial.breaks).length;
  const without = present([
    refused > 0 && `, ${refused} of which server or service refused`,
    broken > 0 && `, ${broken} of which break a limit`,
  ]).join('');
  const settings = trials.filter((trial) => trial.rounds > 0 || trial.refused !== undefined).length;
  const tried = `The search tried ${plural(settings, 'setting')} in ${plural(rounds, 'round')}${without}`;
  if (confirmed !== null) return `${tried}; only the rounds after it count.`;
  const far =
    best === null
      ? ''
      : ` Best so far ${best.best}, about ${formatChange(best.percent, best.range)} by its model; the best of all may be ${formatSize(best.gainPercent)} % better.`;
  return `${tried}, and no setting is confirmed yet.${far}`;
}
