import type { JsonObject } from '../../../model/document.ts';
import { createRandom, type Random } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { codeAt, codesOf, uri } from './descriptors.ts';
import type { Plan } from './plan.ts';
import { clause } from './words.ts';

/** A standard and the parts it is made of: `110.11.1` is the parent of `110.11.1.A` to `110.11.1.G`. */
const familySize = 8;

export function learningStandardIdOf(index: number): string {
  const family = Math.floor(index / familySize);
  const chapter = 110 + Math.floor(family / 600);
  const parent = `${chapter}.${11 + (Math.floor(family / 20) % 30)}.${1 + (family % 20)}`;
  const part = index % familySize;
  return part === 0 ? parent : `${parent}.${String.fromCharCode(64 + part)}`;
}

export function* generateLearningStandards(plan: Plan, seed: number): Iterable<Document> {
  const random = createRandom(seed);
  for (let i = 0; i < plan.learningStandards; i++) yield learningStandard(i, random);
}

/** Pairs of neighbouring standards, spread over all of them. */
export function* generateEquivalences(plan: Plan, seed: number): Iterable<Document> {
  const random = createRandom(seed);
  const count = plan.learningStandardEquivalenceAssociations;
  for (let i = 0; i < count; i++) {
    const source = Math.floor((i * (plan.learningStandards - 1)) / count);
    const strength = random.pick(codesOf('LearningStandardEquivalenceStrength'));
    const body = {
      namespace: 'uri://ed-fi.org',
      sourceLearningStandardReference: { learningStandardId: learningStandardIdOf(source) },
      targetLearningStandardReference: { learningStandardId: learningStandardIdOf(source + 1) },
      effectiveDate: '2021-07-15',
      learningStandardEquivalenceStrengthDescriptor: uri('LearningStandardEquivalenceStrength', strength),
      learningStandardEquivalenceStrengthDescription: `Both require a student to ${clause(random)}.`,
    };
    yield { resource: 'learningStandardEquivalenceAssociations', body };
  }
}

function learningStandard(index: number, random: Random): Document {
  const family = Math.floor(index / familySize);
  const subject = codeAt('AcademicSubject', Math.floor(family / 20));
  const grade = codeAt('GradeLevel', Math.floor(family / 3));
  const body: JsonObject = {
    learningStandardId: learningStandardIdOf(index),
    description: descriptionText(random),
    contentStandard: { title: 'State Standard' },
    gradeLevels: [{ gradeLevelDescriptor: uri('GradeLevel', grade) }],
    academicSubjects: [{ academicSubjectDescriptor: uri('AcademicSubject', subject) }],
    courseTitle: `${subject}, ${grade}, 2021-2022`,
    namespace: 'uri://ed-fi.org/LearningStandard/LearningStandard.xml',
    learningStandardScopeDescriptor: uri('LearningStandardScope', 'State'),
  };
  if (index % familySize !== 0) {
    body.parentLearningStandardReference = { learningStandardId: learningStandardIdOf(family * familySize) };
  }
  return { resource: 'learningStandards', body };
}

/** One to three clauses: 130 characters in the mean with a long tail, as in the template. */
function descriptionText(random: Random): string {
  const drawn = random.next();
  const clauses = drawn < 0.4 ? 1 : drawn < 0.82 ? 2 : 3;
  return `${Array.from({ length: clauses }, () => clause(random)).join('; ')}.`;
}
