import { createRandom, seedOf } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { generateDescriptors } from '../partial-grand-bend/descriptors.ts';
import { generateEducationOrganizations } from '../partial-grand-bend/education-organizations.ts';
import { generateEquivalences, generateLearningStandards } from '../partial-grand-bend/learning-standards.ts';
import { generateSchoolCalendar } from '../partial-grand-bend/school-calendar.ts';
import { generateSchoolResources } from '../partial-grand-bend/school-resources.ts';
import { generateContacts } from './contacts.ts';
import { referredCodes } from './descriptor-codes.ts';
import { type DistrictPlan, planOf } from './plan.ts';
import type { Profile } from './profiles.ts';
import { generateSchedule, sectionAt } from './schedule.ts';
import { generateStaff } from './staff.ts';
import { generateStudents, studentIdOf } from './students.ts';

/**
 * A whole district: what the partial template has, and the staff, students, contacts and sections of its schools.
 * Exactly `documents` of them, each after all that it refers to, made one at a time from its index: nothing is kept,
 * however many there are. The same options give the same documents on every machine.
 */
export function generateDistrict(options: { documents: number; seed: number }, profile: Profile): Iterable<Document> {
  const plan = planOf(options.documents, profile);
  const { organizations } = plan;
  const seed = (part: string): number => seedOf(options.seed, part);
  return {
    *[Symbol.iterator]() {
      yield* generateDescriptors(organizations.descriptors, createRandom(seed('descriptors')), referredCodes);
      yield* generateLearningStandards(organizations, seed('learning standards'));
      yield* generateEquivalences(organizations, seed('equivalences'));
      yield* generateEducationOrganizations(organizations, seed('education organizations'), profile.places);
      yield* generateSchoolResources(organizations, seed('school resources'));
      yield* generateSchoolCalendar(organizations);
      yield* generateSchedule(plan);
      yield* generateStaff(plan, seed('staff'));
      yield* generateStudents(plan, seed('students'));
      yield* generateContacts(plan, seed('contacts'), seed('students'));
      yield* generateSectionEnrolments(plan);
    },
  };
}

/** The sections that each student is in: as many for all, and the sections of a school filled evenly. */
function* generateSectionEnrolments(plan: DistrictPlan): Iterable<Document> {
  const { schools } = plan.organizations;
  for (let student = 0; student < plan.students; student++) {
    const first = Math.floor(student / schools) * plan.sectionsPerStudent;
    for (let turn = 0; turn < plan.sectionsPerStudent; turn++) {
      const { key, beginDate, endDate } = sectionAt(student % schools, (first + turn) % plan.sectionsPerSchool, plan);
      const body = {
        studentReference: { studentUniqueId: studentIdOf(student) },
        sectionReference: { ...key },
        beginDate,
        endDate,
        homeroomIndicator: turn === 0,
      };
      yield { resource: 'studentSectionAssociations', body };
    }
  }
}
