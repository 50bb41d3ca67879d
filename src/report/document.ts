import { groupBy } from '../base/group-by.ts';
import { asSentence, present } from '../base/present.ts';
import { visibleTexts } from '../base/visible.ts';
import { loadLabel, unitOfWork } from '../journal/load-level.ts';
import { formatCount, plural, rough } from '../judge/format.ts';
import { judgedOf } from '../judge/judged-view.ts';
import { marginsWith } from '../judge/read/metrics/margins.ts';
import { requestsPerSecond } from '../judge/read/metrics/metrics.ts';
import type { Warmups } from '../judge/read/rounds/warmups.ts';
import type { Summary } from '../judge/summary.ts';
import { type FirstScreen, firstScreenOf, stopWords } from './first-screen.ts';
import { abTables } from './tables/ab-tables.ts';
import { sidesTable } from './tables/bulk-tables.ts';
import { capacityTable, capacityTwoWays, evidenceTables } from './tables/capacity-tables.ts';
import { gatesTable } from './tables/gates-table.ts';
import { machineTables } from './tables/machine-tables.ts';
import { requestLatencyTables, requestTables, serverTimeTables } from './tables/request-tables.ts';
import { searchTable } from './tables/search-table.ts';
import { type Table, weights } from './tables/table.ts';
import { tablesOf } from './tables/tables.ts';
import { twoWayTable } from './tables/two-way.ts';
import { twoWaysOf } from './tables/two-way-tables.ts';
import { branchWork } from './words/branch-answer.ts';
import { closedLoopWords } from './words/closed-loop-words.ts';
import { withScenario } from './words/commands.ts';
import { earlyEndWords } from './words/early-end.ts';
import { loadsWords } from './words/found.ts';
import { headlineOf } from './words/headline.ts';
import { autovacuumWords } from './words/housekeeping.ts';
import { judgedName } from './words/judged.ts';
import { machineLine } from './words/machine.ts';
import { range } from './words/pass-words.ts';
import { provenanceFacts } from './words/provenance.ts';
import { recommendationOf } from './words/recommendation.ts';
import { warningWords } from './words/remedies.ts';
import { isSearching, searchFacts } from './words/search-words.ts';
import { hasDatabaseColumns } from './words/uncounted-words.ts';
import { type Why, whyOf } from './words/why.ts';

/** A run that continues while its report is read. */
export interface UnderWay {
  /** When the report was written, in words. */
  readonly at: string;
  /** After how many seconds a page is worth loading again. */
  readonly everyS: number;
}

/** A report before it is drawn: terminal and Markdown show the same content in the same order. */
export interface ReportDocument {
  readonly title: string;
  /** The scenario's name. */
  readonly scenario: string;
  /** The control that was chosen after the run; null where it is the planned one. */
  readonly against: string | null;
  /** The answer, in a bounded number of lines. All that follows is whole. */
  readonly first: FirstScreen;
  /** Warnings, such as an unfit session: to be read before anything else; often empty. */
  readonly warnings: readonly string[];
  /** One sentence per load level. */
  readonly headline: readonly string[];
  /** The setting to take under each load level, or why it is not decided; empty without verdicts. */
  readonly recommendation: readonly string[];
  /** Rounds, control, warm-up and noise of the run, in a line. */
  readonly run: string;
  /** How disturbed the machine was, and what the open comparisons would take; empty where nothing is known of it. */
  readonly machine: string;
  readonly sections: readonly Section[];
  /** Null where no probe saw anything. */
  readonly why: Why | null;
  /** Tables of other kinds, by their title; none is empty. */
  readonly details: readonly DetailTables[];
  /** How to read the numbers. */
  readonly notes: readonly string[];
  /** Label and value. */
  readonly provenance: readonly (readonly [string, string])[];
}

export interface DetailTables {
  readonly title: string;
  readonly tables: readonly Table[];
  /** How telling they are, against other tables. */
  readonly weight: number;
}

/** One load level, or what all have in common. */
export interface Section {
  readonly heading: string;
  readonly tables: readonly Table[];
  /** Tables that few look at: Markdown and HTML fold them. */
  readonly folded: readonly Table[];
}

/** The title of a load level's folded tables. */
export const FOLDED_TITLE = 'pg_stat_database, per second';

/**
 * Turns a summary into the report's content. Names in it come from users: every text is on one line and holds nothing that
 * a terminal would obey. Markdown and HTML escape for themselves.
 */
export function documentOf(summary: Summary, underWay: UnderWay | null = null): ReportDocument {
  const warnings = warningsOf(summary, underWay);
  const loads = summary.run.loads.map((load) => ({ heading: loadLabel(load), ...tablesOf(summary, load) }));
  const { sections, common } = saidOnce(loads);
  return visibleTexts({
    title: summary.run.title,
    scenario: summary.run.scenario,
    against: summary.run.plannedControl === undefined ? null : summary.run.control,
    first: firstScreenOf(summary, warnings),
    warnings,
    headline: present([
      branchWork(summary),
      ...(isSearching(summary) ? [] : [...searchFacts(summary), ...headlineOf(summary)]),
    ]),
    recommendation: isSearching(summary) ? [] : recommendationOf(summary),
    run: runLine(summary),
    machine: machineLine(summary.session),
    sections: [...commonSections(summary), ...sections],
    why: whyOf(summary),
    details: detailsOf(summary),
    notes: [...notesOf(summary), ...common],
    provenance: provenanceFacts(summary),
  });
}

function detailsOf(summary: Summary): DetailTables[] {
  const all: DetailTables[] = [
    { title: 'The search', tables: present([searchTable(summary.search)]), weight: weights.work },
    { title: 'Limits by load', tables: evidenceTables(summary), weight: weights.workAverages },
    {
      title: 'Two-way tables',
      tables: [...capacityTwoWays(summary), ...twoWaysOf(summary)].map((two) => twoWayTable(two)),
      weight: weights.averages,
    },
    {
      title: 'By request',
      tables: [...requestTables(summary), ...requestLatencyTables(summary)],
      weight: weights.work,
    },
    { title: 'Where the time of requests went', tables: serverTimeTables(summary), weight: weights.work },
    {
      title: 'Requests, times and percentiles, as ab has them',
      tables: abTables(summary),
      weight: weights.beside,
    },
  ];
  return all.filter(({ tables }) => tables.length > 0);
}

/** Sections that all load levels have in common; none is empty. */
function commonSections(summary: Summary): Section[] {
  const all: readonly (readonly [heading: string, tables: readonly (Table | null)[]])[] = [
    ['Gates', [gatesTable(summary.gates)]],
    ['Capacity', [capacityTable(summary)]],
    ['By machine', machineTables(summary)],
    ['Both sides', [sidesTable(summary)]],
  ];
  return all
    .map(([heading, tables]) => ({ heading, tables: present(tables), folded: [] }))
    .filter(({ tables }) => tables.length > 0);
}

/** Notes that stand under a table of every load level, once; a note with code marks may hold user-supplied names. */
function saidOnce(sections: readonly Section[]): { readonly sections: readonly Section[]; readonly common: string[] } {
  const [first, ...others] = sections.map(
    ({ tables, folded }) => new Set([...tables, ...folded].flatMap(({ notes }) => notes)),
  );
  if (first === undefined || others.length === 0) return { sections, common: [] };
  const common = new Set([...first].filter((note) => !note.includes('`') && others.every((notes) => notes.has(note))));
  const without = (table: Table): Table => ({ ...table, notes: table.notes.filter((note) => !common.has(note)) });
  return {
    sections: sections.map(({ heading, tables, folded }) => ({
      heading,
      tables: tables.map(without),
      folded: folded.map(without),
    })),
    common: [...common].map((note) => `Under every load level: ${note}`),
  };
}

function warningsOf({ session, run, notes }: Summary, underWay: UnderWay | null): string[] {
  return present([
    underWay &&
      `The run is under way: this is what it had found by ${underWay.at}, after ${plural(run.rounds, 'round')}. The page loads itself again every ${plural(underWay.everyS, 'second')}, and a new one is written after each round. If none comes, the run was killed: resume it.`,
    ...(underWay !== null && run.rounds === 0 ? [] : session.reasons).map((reason) => {
      const of = session.verdict === 'unfit' ? 'Unfit session, no verdicts' : 'No verdicts';
      return `${of}: ${withScenario(warningWords(reason), run)}`;
    }),
    run.quick && 'Quick run, for trying things out: no verdicts. Leave out --quick to get them.',
    underWay === null && earlyEndWords(run),
    ...onceForAllLoads(notes).map((text) => withScenario(text, run)),
  ]);
}

/** Warnings that say the same of several load levels are one, which names them all. */
function onceForAllLoads(notes: Summary['notes']): string[] {
  const said = notes.map((note) => {
    const load = 'load' in note ? note.load : null;
    const text = warningWords(note);
    // The words without the load level, where they name it.
    return { load, text, form: load === null ? text : text.replaceAll(loadLabel(load), '\u0000') };
  });
  return groupBy(said, ({ form }) => form).map((own) => {
    const [first] = own;
    if (first === undefined || own.length === 1) return asSentence(first?.text ?? '');
    return asSentence(first.form.replaceAll('\u0000', loadsWords(own.flatMap(({ load }) => load ?? []))));
  });
}

function runLine(summary: Summary): string {
  const { run, warmups } = summary;
  const { noiseFloorPercent: noise, minimumDetectablePercent: least } = summary.session;
  const parts = present([
    plural(run.rounds, 'round'),
    run.stopReason && stopWords(run.stopReason, summary),
    `control ${run.control}${run.plannedControl === undefined ? '' : `, planned ${run.plannedControl}`}`,
    warmups && warmupWords(warmups),
    noise !== null && `noise floor ${rough(noise)} % a round`,
    least !== null && `smallest effect it could see about ${rough(least)} %`,
  ]);
  return `${parts.join(' · ')}.`;
}

function warmupWords({ requests, fewest }: Warmups): string {
  const least = fewest === null ? '' : ` (the slowest ${formatCount(fewest)})`;
  return `warm-up ${range(requests)} requests an arm${least}`;
}

function notesOf({ run, comparisons, requests, averages, provenance }: Summary): string[] {
  const [judged, name] = [judgedOf(run), judgedName(run)];
  const margins = marginsWith(judged, run.marginPercent);
  const count = comparisons.filter(({ metric }) => metric === judged.name).length;
  return present([
    'A change is 100 (e^d - 1) %, d the mean over rounds of ln(variant / control), outliers pulled in (Huber) where turns are not skewed; its interval is in brackets. ' +
      'Percentiles are taken over the answers of all rounds, and no outlier is pulled in; their intervals come from how many answers of each round lie above. ' +
      'A round starts every arm fresh and counts once, however long it is measured.',
    `\`higher\`, \`lower\`: the interval excludes 0. \`same\`: it lies within ±${margins.others} %. It then comes from the equivalence test, and includes 0: of a change that is larger, at most 5 of 100 runs say \`same\`. ` +
      '`noise`: not known, the number may be chance. ' +
      '`n/a (0 -> x)`: nothing has no percentage; an absolute change stands below, at 95 % and exact if events come independently.',
    count > 1
      ? `Intervals hold together: of the ${count} comparisons of ${name}, all looks of the run included, the chance that any is falsely \`higher\` or \`lower\` is up to 5 %. ` +
        `The same holds for each other metric, but not for all metrics at once: judge by ${name}.`
      : `The chance of a false \`higher\` or \`lower\` is up to 5 % in each metric, all looks of the run included, but not for all metrics at once: judge by ${name}.`,
    run.question === 'best' &&
      `The setting to take is the smallest that no other beats by ${run.marginPercent} % or more in ${name}. For each load level at most 5 of 100 runs take one that is worse than that. The ${judged.better === 'lower' ? 'smallest' : 'largest'} number alone decides nothing: among equals it is chance.`,
    `The first screen shows a change of another metric than ${name} only if it holds among all of them: if nothing differs, at most 5 of 100 runs show one there.${requests.comparisons.length > 0 ? ' For kinds of request it is another 5 %.' : ''}`,
    (run.plannedControl === undefined
      ? 'The control runs twice in every round. Its rows show each arm; changes are against the geometric mean of both. '
      : `${run.plannedControl} ran twice in every round, since it was the planned control; its change is that of its first arm. `) +
      'A/A compares its second arm with its first: it shows how no change looks on this machine.',
    'Noise floor: the median difference between those two arms in one round. Smallest effect: its interval would just exclude 0 ' +
      'after these rounds, so half of such runs would show it.',
    judged === requestsPerSecond && closedLoopWords(averages),
    `Work per ${unitOfWork(run.loads)}: \`same\` is within ±${margins.work} %. All of it, under every load level, holds together: the chance of any false \`higher\` or \`lower\` is up to 5 %.`,
    averages.some(hasDatabaseColumns) &&
      `Database columns are differences of pg_stat_database per second of load, so an arm that serves fewer requests counts less of everything. The columns from returned to deleted count rows (tup_*).${autovacuumWords(provenance)}`,
  ]);
}
