import { createHash } from 'node:crypto';
import type { ServiceRole } from '../../../journal/run/provenance-record.ts';
import type { DatasetSpec, Variant } from '../../../journal/scenario-record.ts';
import { type LoadDatasetOptions, type LoadedDataset, loadDataset } from '../../dataset/load-dataset.ts';
import { createDatabase, sealTemplate } from '../../stack/common/databases.ts';
import type { StartedPostgres } from '../../stack/common/postgres.ts';
import { nameOn } from './arm-databases.ts';
import { type Login, makeRole, openRole, readRole, roleOf } from './service-role.ts';

/** A database that copies are made of. */
export interface LoadedTemplate {
  readonly template: string;
  readonly dataset: LoadedDataset;
  readonly login: Login | null;
  readonly role: ServiceRole;
}

/** Name of a variant's template: one for all, and one for each data set that only some variants have. */
export function templateOf({ dataset }: Pick<Variant, 'dataset'>): string {
  const own = dataset && createHash('sha256').update(JSON.stringify(dataset)).digest('hex').slice(0, 12);
  return own === undefined ? 'pgsweep_template' : `pgsweep_template_${own}`;
}

/** Loads the data sets of variants, each once. Returns the first variant's, which stands for all where only one can. */
export async function loadTemplates(
  usual: DatasetSpec,
  variants: readonly Variant[],
  postgres: StartedPostgres,
  options: LoadDatasetOptions,
): Promise<LoadedTemplate> {
  await makeRole(usual, postgres);
  const specs = new Map(variants.map((variant) => [templateOf(variant), variant.dataset ?? usual]));
  const loaded: LoadedTemplate[] = [];
  for (const [name, spec] of specs) loaded.push(await loadTemplate(nameOn(postgres, name), spec, postgres, options));
  const [first] = loaded;
  if (first === undefined) throw new Error('no variant is on this server');
  return first;
}

async function loadTemplate(
  template: string,
  spec: DatasetSpec,
  postgres: StartedPostgres,
  options: LoadDatasetOptions,
): Promise<LoadedTemplate> {
  await createDatabase(postgres, template);
  const dataset = await loadDataset(spec, postgres.adminUrl(template), options);
  const asked = roleOf(spec);
  const login = asked === undefined ? null : await openRole(asked, postgres, template);
  const role = await readRole(login, postgres.adminUrl(template));
  await sealTemplate(postgres, template);
  return { template, dataset, login, role };
}
