import type { TemplateSpec } from '../../../journal/scenario-record.ts';
import type { Document } from '../types.ts';
import { generateDistrict } from './grand-bend/generate.ts';
import { profiles } from './grand-bend/profiles.ts';
import { generatePartialGrandBend } from './partial-grand-bend/generate.ts';

/**
 * The documents of a template, each after all that it refers to: exactly as many as are asked for, one at a time, and
 * the same ones for the same seed. Throws PgsweepError `dataset` where they are too few for the template.
 */
export function generateTemplate({ template, documents, seed }: TemplateSpec): Iterable<Document> {
  if (template === 'partial-grand-bend') return generatePartialGrandBend({ documents, seed });
  return generateDistrict({ documents, seed }, profiles[template]);
}
