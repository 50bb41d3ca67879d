import { resolve } from 'node:path';
import { z } from 'zod';
import { count } from '../base/schema-values.ts';
import {
  defaultTemplateDocuments,
  folderKey,
  type SampleData,
  sampleWords,
  type TemplateSpec,
  templates,
  usualTemplate,
} from '../journal/sample.ts';
import { type Origin, requireFolder } from './checks.ts';
import type { Path, Problem } from './problem.ts';

/** `2000 for small, 20000 for large` */
const documentsByTemplate = templates.map((name) => `${defaultTemplateDocuments[name]} for ${name}`).join(', ');

/** Keys of data for the sample service. */
export const generatedKeys = {
  template: z.enum(templates).optional().describe(sampleWords.template),
  documents: count(10_000_000)
    .optional()
    .describe(`how many documents the template has; default ${documentsByTemplate}`),
  seed: z.int().min(0).optional().describe('seed of the generator; default 1'),
  [folderKey]: z.string().optional().describe(sampleWords.folder),
};

type GeneratedDocument = z.output<z.ZodObject<typeof generatedKeys>>;

/** A template with the defaults for what is left out. */
export function templateOf({
  template = usualTemplate,
  documents = defaultTemplateDocuments[template],
  seed = 1,
}: GeneratedDocument): TemplateSpec {
  return { kind: 'template', template, documents, seed };
}

/** Data that is a template or a folder; null where it is of another kind. */
export function resolveGenerated(
  kind: string | null,
  written: GeneratedDocument,
  { path, origin, problems }: { readonly path: Path; readonly origin: Origin; readonly problems: Problem[] },
): SampleData | null {
  if (kind === null || kind === 'template') return templateOf(written);
  const place = path.join('.');
  for (const key of ['documents', 'seed'] as const) {
    if (written[key] !== undefined)
      problems.push({ path, key, message: `${place}.${key} goes with ${place}.template` });
  }
  if (kind !== folderKey) return null;
  const folder = resolve(origin.folder, written[folderKey] ?? '');
  requireFolder(folder, [...path, folderKey], problems);
  return { kind, folder };
}
