import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../base/nearest.ts';
import { type TemplateName, templates } from '../journal/sample.ts';

/** For commander: a template's name, however it is written. */
export function templateOption(text: string): TemplateName {
  const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const found = templates.find((template) => bare(template) === bare(text));
  if (found !== undefined) return found;
  throw new InvalidArgumentError(
    `Expected one of ${templates.join(', ')}${didYouMean(text, templates.map(templateTitle), '')}.`,
  );
}

/** `LargeSchool` for `large-school` */
export function templateTitle(template: string): string {
  return template.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
