import type { z } from 'zod';
import { workShowing } from '../../../journal/postgres/housekeeping.ts';
import { isSetBySample, sampleService } from '../../../journal/sample.ts';
import type { FactorValue, Target } from '../../../journal/scenario-record.ts';
import { treatmentsNotLive } from '../../../measure/treatment/kinds.ts';
import { variedMistake } from '../../../measure/treatment/setting-mistake.ts';
import { isReloaded, placeOfSetting } from '../../../measure/treatment/setting-names.ts';
import { oneOf } from '../../checks.ts';
import type { Path, Problem } from '../../problems.ts';
import type { ScenarioDocument } from '../../schema.ts';
import { levelsOf, partOfFactor, partsNotLive } from '../parts.ts';
import { live as ownPart } from './part.ts';
import type { liveFactor, liveVariant } from './schema.ts';

type LiveFactor = z.infer<typeof liveFactor>;
type LiveVariant = z.infer<typeof liveVariant>;

/** Settings that can never be switched in a running process or database, with the reason. */
const whyNot = {
  env: 'a process reads its environment when it starts',
  command: 'another program is another process',
  cwd: 'a process keeps its folder',
  url: 'another url is another process',
  database: 'all settings share one database',
  reset: 'it is run before a process starts',
  ...treatmentsNotLive,
  ...partsNotLive,
} as const;

/** Problems of settings that cannot be switched live, by name and with the reason. */
export function liveProblems(document: ScenarioDocument, target: Target): Problem[] {
  const factors = Object.entries(document.sweep ?? {});
  const variants = Object.entries(document.variants ?? {});
  const tuned = Object.entries(document.tune ?? {});
  const isLive = [...factors, ...variants, ...tuned].some(([, one]) => one.live !== undefined);
  if (!isLive) {
    const message = 'load.settle: expected only where factors or variants are switched live';
    return document.load.settle === undefined ? [] : [{ path: ['load'], key: 'settle', message }];
  }
  const problems: Problem[] = [];
  for (const [name, factor] of factors) {
    const { live } = factor;
    const path = ['sweep', name];
    if (live !== undefined) checkFactor(live, levelsOf(factor), path, problems);
    const part = partOfFactor(factor);
    const why = part && partsNotLive[part];
    if (why)
      problems.push({ path, message: `${name} (${part}) cannot be switched live like the other factors: ${why}` });
    for (const key of ['env', 'setting'] as const) {
      const by = factor[key];
      const why = key === 'env' ? `: ${whyNot.env}` : ': expected live: { setting: ... }';
      if (by !== undefined)
        problems.push({ path, key, message: `${name} (${by}) cannot be switched live like the other factors${why}` });
    }
    checkLive(live, [...path, 'live'], target, problems);
  }
  for (const [name, { live }] of tuned) {
    if (live?.setting !== undefined)
      checkSetting(live.setting, target, { path: ['tune', name, 'live'], key: 'setting' }, problems);
  }
  for (const [name, variant] of variants) checkVariant(name, variant, variants, target, problems);
  checkLoad(document, problems);
  return problems;
}

type VariantDocument = NonNullable<ScenarioDocument['variants']>[string];
type Variants = readonly (readonly [string, VariantDocument])[];

function checkVariant(
  name: string,
  variant: VariantDocument,
  all: Variants,
  target: Target,
  problems: Problem[],
): void {
  const path = ['variants', name];
  const { live = {}, factors: _, ...rest } = variant;
  for (const key of Object.keys(rest) as (keyof typeof whyNot)[]) {
    problems.push({
      path,
      key,
      message: `${name}: ${key} cannot be switched live like the other variants: ${whyNot[key]}`,
    });
  }
  for (const key of ['request', 'sql'] as const) {
    // Nothing but another request or statement undoes one.
    const other = all.find(([, one]) => one.live?.[key] !== undefined);
    if (live[key] === undefined && other !== undefined) {
      const message = `${name} has no live.${key}, so nothing would undo that of ${other[0]}: expected one in every variant`;
      problems.push({ path, message });
    }
  }
  checkLive(variant.live, [...path, 'live'], target, problems);
}

function checkFactor(live: LiveFactor, levels: readonly FactorValue[], path: Path, problems: Problem[]): void {
  const place = [...path, 'live'];
  oneOf(live, ['request', 'sql', 'setting', 'hideIndex'], place, problems);
  const written = live.request === undefined ? live.sql : live.request;
  if (written !== undefined && !JSON.stringify(written).includes('${level}'))
    problems.push({
      path: place,
      message: `${place.join('.')}: expected \${level} somewhere, or every level is the same`,
    });
  if (live.hideIndex === undefined) return;
  levels.forEach((level, index) => {
    if (level !== 'shown' && level !== 'hidden')
      problems.push({
        path: [...path, 'levels', index],
        message: `level ${level} of a hidden index: expected shown, hidden`,
      });
  });
}

function checkLive(live: LiveFactor | LiveVariant | undefined, path: Path, target: Target, problems: Problem[]): void {
  if (live === undefined) return;
  if ('setting' in live && live.setting !== undefined)
    checkSetting(live.setting, target, { path, key: 'setting' }, problems);
  if ('settings' in live) {
    for (const name of Object.keys(live.settings ?? {}))
      checkSetting(name, target, { path: [...path, 'settings'], key: name }, problems);
  }
  if (live.verify !== undefined) oneOf(live.verify, ['path', 'sql'], [...path, 'verify'], problems);
  for (const key of target.kind === 'url' ? ownPart.needsPostgres : []) {
    if (key in live)
      problems.push({
        path,
        key,
        message: `${key} cannot be switched live with a url target, whose database is not the bench's`,
      });
  }
  const { admin } = sampleService;
  if (
    target.kind === 'service' &&
    live.request?.path.startsWith(admin.path) &&
    target.env[admin.variable] !== admin.value
  )
    problems.push({
      path,
      key: 'request',
      message: `${live.request.path} is answered only with target: { env: { ${admin.variable}: ${admin.value} } }`,
    });
}

function checkSetting(name: string, target: Target, place: Omit<Problem, 'message'>, problems: Problem[]): void {
  const mistake = variedMistake(name, null);
  if (mistake !== null) problems.push({ ...place, message: mistake });
  else if (target.kind === 'service' && isSetBySample(name))
    problems.push({
      ...place,
      message: `the setting ${name} cannot vary with ${sampleService.title}: its own connections set it`,
    });
  else if (placeOfSetting(name) === 'server' && !isReloaded(name))
    problems.push({
      ...place,
      message: `${name} cannot be switched live: Postgres reads it when it starts (without live, each arm gets its own server)`,
    });
  else if (workShowing(name) !== null)
    problems.push({
      ...place,
      message: `${name} cannot be switched live: it shows over minutes, and turns are shorter (without live, a variant has it for a whole slice)`,
    });
}

function checkLoad({ load, rounds }: ScenarioDocument, problems: Problem[]): void {
  if (load.turn === 'off')
    problems.push({
      path: ['load', 'turn'],
      message: 'load.turn: settings that are switched live have turns; expected auto or a duration',
    });
  if (rounds?.max !== undefined && rounds.max < LEAST_STARTS)
    problems.push({
      path: ['rounds', 'max'],
      message: `rounds.max: switched live, there are at least ${LEAST_STARTS} starts`,
    });
}

/** Two starts of the same differ; fewer than this do not show by how much. */
const LEAST_STARTS = 4;
