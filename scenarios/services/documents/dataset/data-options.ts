import { z } from 'zod';
import { DatasetError } from '../errors.ts';
import { templates } from './templates/templates.ts';

const count = z.coerce.number().pipe(z.int().min(0));
const template = z.strictObject({ template: z.enum(templates), documents: count, seed: count });
const edfi = z.strictObject({ edfi: z.string().min(1) });

/** Generated data by its template, size and seed. */
export type TemplateData = z.output<typeof template>;

/** A data set: generated, or a folder of Ed-Fi XML. */
export type Data = TemplateData | z.output<typeof edfi>;

/** The data set of a module's options or of a command line. Throws DatasetError. */
export function dataOf(options: Readonly<Record<string, unknown>>): Data {
  const found = 'edfi' in options ? edfi.safeParse(options) : template.safeParse(options);
  if (found.success) return found.data;
  throw new DatasetError(`The data set ${JSON.stringify(options)} is not known`, {
    hint: `Give template (one of ${templates.join(', ')}), documents and seed; or edfi, a folder.`,
  });
}
