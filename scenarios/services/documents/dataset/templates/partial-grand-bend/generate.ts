import { createRandom, seedOf } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { generateDescriptors } from './descriptors.ts';
import { generateEducationOrganizations } from './education-organizations.ts';
import { generateEquivalences, generateLearningStandards } from './learning-standards.ts';
import { planOf } from './plan.ts';
import { generateSchoolCalendar } from './school-calendar.ts';
import { generateSchoolResources } from './school-resources.ts';

/**
 * Documents shaped like Ed-Fi's "partial Grand Bend" template: exactly `documents` of them, each after all that it
 * refers to, one at a time. The same options give the same documents on every machine, since nothing in here draws
 * from the clock, the locale or a library that may change; each part has its own random sequence.
 */
export function generatePartialGrandBend(options: { documents: number; seed: number }): Iterable<Document> {
  const plan = planOf(options.documents);
  const { seed } = options;
  return {
    *[Symbol.iterator]() {
      yield* generateDescriptors(plan.descriptors, createRandom(seedOf(seed, 'descriptors')));
      yield* generateLearningStandards(plan, seedOf(seed, 'learning standards'));
      yield* generateEquivalences(plan, seedOf(seed, 'equivalences'));
      yield* generateEducationOrganizations(plan, seedOf(seed, 'education organizations'));
      yield* generateSchoolResources(plan, seedOf(seed, 'school resources'));
      yield* generateSchoolCalendar(plan);
    },
  };
}
