import { ask, describeReply, isOk } from '../../../base/ask.ts';
import { messageOf } from '../../../base/errors.ts';
import { nearest } from '../../../base/nearest.ts';
import { isPattern, parseSelector, type Selector } from '../../../journal/service/metric-names.ts';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbeKind } from '../probe.ts';
import { type Samples, sampledProbe } from '../sampled-probe.ts';
import { BUSIEST_LOOP, defaultMetrics } from './default-metrics.ts';
import { type Family, familyOf, familyOfInstances } from './metric-families.ts';
import { metricValues } from './metric-values.ts';
import { type Exposition, parsePrometheusText } from './prometheus-text.ts';

const NAME = 'service-metrics';
const ANSWER_MS = 2000;

/** Each makes the service write all its metrics, on the thread that answers requests; gauges need some under load. */
const EVERY_MS = 2000;

/** By the text of the selector. */
type Families = ReadonlyMap<string, Family>;

/** Values of the service as a whole, and of each of its instances; mostly one. */
interface Shown {
  readonly all: Families;
  readonly each: readonly Families[];
  /** The process that answered, of each instance. */
  readonly processes: readonly ShownProcess[];
}

/** Start of a process and the CPU time that it has used, in seconds: they distinguish processes. Null where it does not show them. */
interface ShownProcess {
  readonly start: number | null;
  readonly cpu: number | null;
}

const EVENT_LOOP = 'event_loop_active_seconds_total';

/**
 * The service's own metrics, in the text format of Prometheus, whatever it is written in: those that are read of every
 * service, and those that the scenario names. Whether it shows any is known only once it runs: where it does not, and
 * the scenario names some, that is one warning. Of several instances the values are those of all together, with
 * `event_loop_active_busiest_seconds_per_s` of the one whose event loop was busiest; the samples have each.
 */
export const serviceMetrics: ProbeKind = { name: NAME, of: 'machine', values: [BUSIEST_LOOP], open };

async function open(context: ProbeContext): Promise<Probe | AbsentProbe> {
  const path = context.metrics?.path ?? '/metrics';
  const named = context.metrics?.include ?? [];
  const selectors = new Map<string, Selector>();
  const patterns = named.filter(isPattern);
  for (const text of [...defaultMetrics, ...named]) {
    const selector = parseSelector(text);
    if (selector !== null) selectors.set(text, selector);
  }
  const seen = new Set<string>();
  const shown = new Set<string>();
  // A service that shows none is no mistake, unless the scenario names some.
  const onWarning = context.metrics === undefined ? () => {} : context.onWarning;
  const probe = sampledProbe<readonly string[], Shown>({
    name: NAME,
    everyMs: EVERY_MS,
    context: { ...context, onWarning },
    columns: ['metric', 'statistic', 'value'],
    reader:
      ({ url, urls = [url] }) =>
      () =>
        Promise.all(urls.map((one) => get(one, path))),
    digest(texts) {
      const expositions = texts.map(parsePrometheusText);
      for (const exposition of expositions) addMatching(patterns, exposition, selectors);
      for (const name of expositions.flatMap(namesIn)) shown.add(name);
      const each = expositions.map((exposition) => familiesIn(exposition, path, { selectors, named }));
      const all = together(each, selectors);
      for (const selector of all.keys()) seen.add(selector);
      return { all, each, processes: expositions.map(processIn) };
    },
    rows: ({ all, each }) => [
      ...rowsOfAll(all, ''),
      ...(each.length > 1 ? each.flatMap((one, instance) => rowsOfAll(one, ` of instance ${instance}`)) : []),
    ],
    values: (samples, load) => valuesOf(samples, load, selectors),
  });
  return {
    ...probe,
    async close() {
      await probe.close();
      // Without any, the reason has been reported already.
      const isMissing = (text: string): boolean =>
        isPattern(text) ? ![...seen].some((name) => matchesPattern(text, name)) : !seen.has(text);
      const missing = seen.size === 0 ? [] : named.filter(isMissing);
      if (missing.length > 0)
        context.onWarning({ kind: 'metrics-missing', path, names: missing, near: nearOf(missing, [...shown]) });
    },
  };
}

function familiesIn(
  exposition: Exposition,
  path: string,
  { selectors, named }: { readonly selectors: ReadonlyMap<string, Selector>; readonly named: readonly string[] },
): Families {
  const families = new Map<string, Family>();
  for (const [text, selector] of selectors) {
    const family = familyOf(exposition, selector);
    if (family !== null) families.set(text, family);
  }
  if (families.size > 0) return families;
  if (named.length === 0) throw new Error(`GET ${path} shows no metric that is known; name some in target.metrics`);
  const near = nearOf(named, namesIn(exposition));
  const hint = near.length === 0 ? '' : ` (did you mean ${near.join(', ')}?)`;
  throw new Error(`GET ${path} shows none of ${named.join(', ')}${hint}`);
}

/** The metrics shown that are most like these names. */
function nearOf(names: readonly string[], shown: readonly string[]): string[] {
  return [...new Set(names.flatMap((text) => nearest(parseSelector(text)?.name ?? text, shown) ?? []))];
}

function together(each: readonly Families[], selectors: ReadonlyMap<string, Selector>): Families {
  const families = new Map<string, Family>();
  for (const [text, selector] of selectors) {
    const family = familyOfInstances(
      selector,
      each.flatMap((one) => one.get(text) ?? []),
    );
    if (family !== null) families.set(text, family);
  }
  return families;
}

async function get(url: string, path: string): Promise<string> {
  const answer = await ask(url + path, {
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: { accept: 'text/plain;version=0.0.4' },
  }).catch((error: unknown) => {
    throw new Error(`GET ${path} was not answered: ${messageOf(error)}`);
  });
  if (!isOk(answer)) throw new Error(`GET ${path} ${describeReply(answer)}`);
  return answer.text;
}

function rowsOfAll(families: Families, suffix: string): (readonly [string, string, number])[] {
  return [...families].flatMap(([text, family]) => rowsOf(text + suffix, family));
}

function rowsOf(text: string, family: Family): (readonly [string, string, number])[] {
  if (family.kind === 'counter') return [[text, 'total', family.total]];
  if (family.kind === 'gauge') return [[text, 'value', family.value]];
  return [
    [text, 'count', family.count],
    [text, 'sum', family.sum],
  ];
}

function processIn({ series }: Exposition): ShownProcess {
  const shown = (name: string): number | null => series.get(name)?.[0]?.value ?? null;
  return { start: shown('process_start_time_seconds'), cpu: shown('process_cpu_seconds_total') };
}

/**
 * False where an instance's last reading is of another process than its first: it has started again, or another worker of
 * a cluster has answered. Workers that were forked in the same second show the same start, but not the same CPU time, which
 * never falls in one process.
 */
function areSameProcesses([first, ...others]: Samples<Shown>): boolean {
  const last = others.at(-1) ?? first;
  return first.value.processes.every((before, instance) => {
    const { start, cpu } = last.value.processes[instance] ?? before;
    const hasOtherStart = start !== null && before.start !== null && start !== before.start;
    const hasLessCpu = cpu !== null && before.cpu !== null && cpu < before.cpu;
    return !hasOtherStart && !hasLessCpu;
  });
}

/**
 * An arm works in its turns only, so that what was counted over the pass is the sum over them. What two processes have
 * counted has no difference: there only gauges have values.
 */
function valuesOf(
  samples: Samples<Shown>,
  { loadMs }: LoadTimes,
  selectors: ReadonlyMap<string, Selector>,
): Record<string, number> {
  const seconds = loadMs / 1000;
  const values: Record<string, number> = {};
  const areSame = areSameProcesses(samples);
  for (const [text, selector] of selectors) {
    const readings = samples.map(({ value }) => value.all.get(text) ?? null);
    if (areSame || readings.at(-1)?.kind === 'gauge') Object.assign(values, metricValues(selector, readings, seconds));
  }
  const busiest = areSame ? busiestLoop(samples, seconds) : null;
  return { ...values, ...(busiest !== null && { [BUSIEST_LOOP]: busiest }) };
}

/** How much of the time the busiest of several event loops was at work; null of one, which is its own sum. */
function busiestLoop(samples: Samples<Shown>, seconds: number): number | null {
  const { length } = samples[0].value.each;
  const selector = parseSelector(EVENT_LOOP);
  if (length < 2 || selector === null) return null;
  const loops = Array.from({ length }, (_, instance) => {
    const readings = samples.map(({ value }) => value.each[instance]?.get(EVENT_LOOP) ?? null);
    return Object.values(metricValues(selector, readings, seconds));
  }).flat();
  return loops.length === 0 ? null : Math.max(...loops);
}

/** A service may show thousands; each is a column of the results. */
const MOST_METRICS = 300;

/** True if a metric fits a pattern: a star is any characters. */
function matchesPattern(pattern: string, name: string): boolean {
  // Metrics' names have nothing in them that is special in a regular expression.
  return new RegExp(`^${pattern.split('*').join('.*')}$`).test(name);
}

/** The names of all metrics shown. OpenMetrics declares a counter without the `_total` of its series. */
function namesIn({ types, series }: Exposition): string[] {
  const declared = [...types.keys()];
  if (declared.length === 0) return [...series.keys()];
  return declared.map((name) => (!series.has(name) && series.has(`${name}_total`) ? `${name}_total` : name));
}

/** Adds a selector for each metric shown that a pattern stands for, of all its series together; no more than 300 in all. */
function addMatching(patterns: readonly string[], exposition: Exposition, selectors: Map<string, Selector>): void {
  if (patterns.length === 0) return;
  for (const name of exposition.types.size === 0 ? [] : namesIn(exposition)) {
    if (selectors.size >= MOST_METRICS) return;
    if (!selectors.has(name) && patterns.some((pattern) => matchesPattern(pattern, name)))
      selectors.set(name, { name, labels: {} });
  }
}
