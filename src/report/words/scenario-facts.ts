import { levelLabels } from '../../journal/capacity/run-levels.ts';
import type { JobSource } from '../../journal/job-spec.ts';
import { hasPostgres } from '../../journal/link/own-database.ts';
import { unitOfWork } from '../../journal/load-level.ts';
import type { LoadSpec, ResolvedScenario, Target, Variant } from '../../journal/scenario-record.ts';
import { mixOf, stepsOf } from '../../journal/script-spec.ts';
import { plural } from '../../judge/format.ts';
import { partFacts } from '../parts/parts.ts';

/** Variants, load and rounds of a scenario, as labels and values. */
export function scenarioFacts({
  target,
  variants,
  control,
  load,
  rounds,
  marginPercent,
  judge,
}: ResolvedScenario): [string, string][] {
  const others = variants.filter(({ name }) => name !== control).map(({ name }) => name);
  return [
    ['target', targetWords(target)],
    ...databaseFacts(variants),
    ['control', control],
    ['against it', others.length === 0 ? 'nothing' : others.join(', ')],
    ...partFacts(variants, load.levels),
    ['load', levelLabels(load).join('; ')],
    ...jobFacts(load, variants),
    ...(unitOfWork(load.levels) === 'run'
      ? []
      : [
          [
            'requests',
            `${requestWords(load)}${load.pipelining ? `; ${load.pipelining} at a time on each connection` : ''}`,
          ] satisfies [string, string],
        ]),
    [
      'time',
      rounds.budgetMs < Number.MAX_SAFE_INTEGER
        ? `rounds ${rounds.min} to ${rounds.max}, at most ${plural(Math.round((rounds.settleWithinMs ?? rounds.budgetMs) / 60_000), 'minute')}`
        : plural(rounds.max, 'round'),
    ],
    ...(judge === undefined ? [] : [['judged by', judge] satisfies [string, string]]),
    ['the same', `within ±${marginPercent} %`],
  ];
}

function targetWords(target: Target): string {
  if (target.kind === 'service') return `the sample service ${target.service}`;
  if (target.kind === 'url') return target.url;
  if (target.kind === 'command') return target.command;
  if (target.kind === 'none') return 'none: the job alone';
  const services = Object.entries(target.services).map(([name, { command }]) => `${name}: ${command}`);
  return `${services.join('; ')} (${target.underLoad} is under load)`;
}

/** Where some variant has no Postgres of the bench: which have; and what puts back the data of services. */
function databaseFacts(variants: readonly Variant[]): [string, string][] {
  const named = (some: readonly Variant[]): string => some.map(({ name }) => name).join(', ');
  const [having, without] = [variants.filter(hasPostgres), variants.filter((variant) => !hasPostgres(variant))];
  const resets = variants.filter(({ reset }) => reset !== undefined);
  const facts: [string, string][] = [];
  if (having.length === 0) facts.push(['database', 'none of the bench']);
  else if (without.length > 0)
    facts.push(['database', `Postgres for ${named(having)}; none of the bench for ${named(without)}`]);
  if (resets.length > 0)
    facts.push(['reset', `${[...new Set(resets.map(({ reset }) => reset))].join('; ')} (${named(resets)})`]);
  return facts;
}

/** The job, its check, and the cache it starts with; variants with their own job are named. */
function jobFacts({ job, bounded }: LoadSpec, variants: readonly Variant[]): [string, string][] {
  if (job === undefined) return [];
  const words = (source: JobSource): string => (source.kind === 'sql' ? source.file : source.command);
  const own = variants.flatMap(({ name, job: another }) =>
    another === undefined ? [] : [`${name} ${words(another)}`],
  );
  const often = bounded === undefined || bounded.count === 1 ? '' : `, ${bounded.count} times on each copy`;
  const { check, cold } = job;
  return [
    ['job', `${[...(job.source === undefined ? [] : [words(job.source)]), ...own].join('; ')}${often}`],
    [
      'its cache',
      cold === true
        ? "cold: shared_buffers are emptied before; the operating system's cache is not"
        : 'warm: tables and indexes are read into shared_buffers before, as far as they fit',
    ],
    ...(check === undefined ? [] : [['its check', `${check.sql} = ${check.equals}`] satisfies [string, string]]),
  ];
}

function requestWords({ workload }: LoadSpec): string {
  if (workload.kind === 'built-in') return workload.workload;
  if (workload.kind === 'module') return `the module ${workload.module}`;
  if (workload.kind === 'k6') return `the k6 script ${workload.script}`;
  const requests = workload.kind === 'script' ? mixOf(workload) : workload.requests;
  if (workload.kind === 'script' && requests === null)
    return `the script ${stepsOf(workload)
      .map(({ name }) => name)
      .join(', ')}`;
  return (requests ?? []).map(({ name, weight }) => (weight === 1 ? name : `${name} (weight ${weight})`)).join(', ');
}
