import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { PgsweepError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import {
  folderKey,
  isGenerated,
  sampleService,
  type TemplateName,
  usualTemplate,
  wholeDocuments,
} from '../journal/sample.ts';
import type { BulkSpec, ResolvedScenario, ServiceTarget, UrlTarget, Variant } from '../journal/scenario-record.ts';
import type { BulkLoadRun } from '../measure/run/bulk/bulk-load.ts';
import { bulkDefaults } from '../scenario/load/kinds/bulk.ts';
import { loadScenario } from '../scenario/load-scenario.ts';
import { ANSWER_TIMEOUT_MS } from '../scenario/resolve-load.ts';
import { type RemoteOption, requireAllowed } from './allow-remote.ts';
import type { ShareOption } from './share.ts';
import { type StackOptions, stackChoice } from './stack-options.ts';

/** Options of the command line. */
export interface BulkLoadOptions extends StackOptions, RemoteOption, ShareOption {
  readonly template?: TemplateName;
  readonly documents?: number;
  readonly seed?: number;
  readonly [folderKey]?: string;
  readonly baseUrl?: string;
  readonly scenario?: string;
  readonly variant?: string;
  readonly rounds: number;
  readonly connections?: number;
  readonly inFlight?: number;
  readonly retries?: number;
  readonly backoff?: number;
  readonly timeout?: number;
  readonly update?: boolean;
  readonly out?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const SCENARIO = 'scenarios/index-and-lock.yaml';

/** Resolves the options to a run: what they leave open the scenario says, else its defaults. Throws PgsweepError `usage` or `scenario`. */
export function bulkLoadRun(options: BulkLoadOptions): Omit<BulkLoadRun, 'folder'> {
  const { baseUrl } = options;
  const scenario = baseUrl === undefined ? scenarioOf(options) : null;
  const asked = scenario?.load.bulk;
  const connections = options.connections ?? asked?.connections ?? bulkDefaults.connections;
  const dataset = datasetOf(options, asked?.dataset);
  const spec: BulkSpec = {
    dataset,
    ...checkOf(dataset, asked),
    connections,
    // With --connections alone, all of them are used.
    inFlight: options.inFlight ?? (options.connections === undefined ? asked?.inFlight : undefined) ?? connections,
    retries: options.retries ?? asked?.retries ?? bulkDefaults.retries,
    backoffMs: options.backoff ?? asked?.backoffMs ?? bulkDefaults.backoffMs,
    update: options.update ?? asked?.update ?? bulkDefaults.update,
  };
  const target = baseUrl === undefined ? serviceOf(scenario) : urlOf(baseUrl);
  const variant = variantOf(scenario, options.variant);
  requireAllowed(target, [variant], options);
  return {
    target,
    variant,
    stack: scenario?.stack ?? { postgres: { settings: {} } },
    stackChoice: stackChoice(options),
    spec,
    seed: options.seed ?? 1,
    timeoutMs: options.timeout ?? scenario?.load.timeoutMs ?? ANSWER_TIMEOUT_MS,
    rounds: options.rounds,
  };
}

/** The scenario's check. Its number is that of the scenario's data set; of another one as many as were accepted are expected. */
function checkOf(dataset: BulkSpec['dataset'], asked: BulkSpec | undefined): Pick<BulkSpec, 'check'> {
  if (asked?.check === undefined) return {};
  const { check } = asked;
  return { check: isDeepStrictEqual(dataset, asked.dataset) ? check : { sql: check.sql } };
}

function datasetOf(options: BulkLoadOptions, asked: BulkSpec['dataset'] | undefined): BulkSpec['dataset'] {
  const { [folderKey]: folder, template, documents, seed } = options;
  if (folder !== undefined) return { kind: folderKey, folder: resolve(folder) };
  if (asked !== undefined && !isGenerated(asked) && template === undefined) return asked;
  const named = asked !== undefined && isGenerated(asked) ? asked : null;
  const name = template ?? named?.template ?? usualTemplate;
  // Whole, whatever a scenario says: with a variant and without it the same data set is loaded.
  return {
    kind: 'template',
    template: name,
    documents: documents ?? wholeDocuments[name],
    seed: seed ?? named?.seed ?? 1,
  };
}

/** The names that `--variant` takes. Throws PgsweepError `usage` or `scenario`. */
export function variantNames({ scenario }: Pick<BulkLoadOptions, 'scenario'>): string[] {
  return loadScenario(scenario ?? variantsFile()).variants.map(({ name }) => name);
}

/** The scenario whose variants can be named: the one that is asked for, else the one that comes with pgsweep. */
function scenarioOf({ scenario, variant }: BulkLoadOptions): ResolvedScenario | null {
  if (scenario !== undefined) return loadScenario(scenario);
  return variant === undefined ? null : loadScenario(variantsFile());
}

function variantsFile(): string {
  const files = [resolve(SCENARIO), fileURLToPath(new URL(`../../${SCENARIO}`, import.meta.url))];
  const file = files.find(existsSync);
  if (file !== undefined) return file;
  throw new PgsweepError('usage', `${SCENARIO} is missing, which has the variants`, {
    hint: 'Name the file that has the variant: --scenario FILE',
  });
}

function serviceOf(scenario: ResolvedScenario | null): ServiceTarget {
  if (scenario === null) return { kind: 'service', service: sampleService.service, env: {} };
  if (scenario.target.kind === 'service') return scenario.target;
  throw new PgsweepError('usage', `${scenario.file} is about your own service, which bulk-load does not start`, {
    hint: 'Start it yourself, and load into it with --base-url URL.',
  });
}

function urlOf(url: string): UrlTarget {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return { kind: 'url', url };
  throw new PgsweepError('usage', `--base-url: expected a URL such as http://127.0.0.1:3000, found ${url}`);
}

/** By its name, however it is capitalised; the control where none is named. */
function variantOf(scenario: ResolvedScenario | null, name: string | undefined): Variant {
  if (scenario === null) return { name: 'Control', factors: {}, env: {} };
  const wanted = name ?? scenario.control;
  const found = scenario.variants.find((variant) => variant.name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) {
    const names = scenario.variants.map((variant) => variant.name);
    const near = nearest(wanted, names);
    throw new PgsweepError('usage', `${scenario.file} has no variant "${wanted}"`, {
      hint: `${near === null ? '' : `Did you mean "${near}"? `}It has: ${names.map((each) => `"${each}"`).join(', ')}`,
    });
  }
  if (found.live !== undefined)
    throw new PgsweepError(
      'usage',
      `"${found.name}" is switched live, and a bulk load has no other variant to switch from`,
      {
        hint: 'Write its settings as those of a variant: settings, hideIndex or sql in place of live.',
      },
    );
  return found;
}
