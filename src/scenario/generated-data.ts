import { resolve } from 'node:path';
import { z } from 'zod';
import { count } from '../base/schema-values.ts';
import { defaultTemplateDocuments, type EdFiSpec, type TemplateSpec, templates } from '../journal/scenario-record.ts';
import { type Origin, requireFolder } from './checks.ts';
import type { Path, Problem } from './problem.ts';

/** `2000 for partial-grand-bend, ...` */
const documentsByTemplate = templates.map((name) => `${defaultTemplateDocuments[name]} for ${name}`).join(', ');

/** Keys of data for the document service. */
export const generatedKeys = {
  template: z.enum(templates).optional().describe('generated data in the manner of the Ed-Fi template of that name'),
  documents: count(10_000_000)
    .optional()
    .describe(`how many documents the template has; default ${documentsByTemplate}`),
  seed: z.int().min(0).optional().describe('seed of the generator; default 1'),
  edfi: z.string().optional().describe('a folder of Ed-Fi interchange XML'),
};

type GeneratedDocument = z.output<z.ZodObject<typeof generatedKeys>>;

/** A template with the defaults for what is left out. */
export function templateOf({
  template = 'partial-grand-bend',
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
): TemplateSpec | EdFiSpec | null {
  if (kind === null || kind === 'template') return templateOf(written);
  const place = path.join('.');
  for (const key of ['documents', 'seed'] as const) {
    if (written[key] !== undefined)
      problems.push({ path, key, message: `${place}.${key} goes with ${place}.template` });
  }
  if (kind !== 'edfi') return null;
  const folder = resolve(origin.folder, written.edfi ?? '');
  requireFolder(folder, [...path, 'edfi'], problems);
  return { kind, folder };
}
