import { DatasetError } from '../../../errors.ts';
import { countCodes } from '../partial-grand-bend/descriptors.ts';
import { datesPerCalendar, gradingPeriodsPerSession, type Plan } from '../partial-grand-bend/plan.ts';
import { referredCodes } from './descriptor-codes.ts';
import type { Profile } from './profiles.ts';

/** How many documents of each kind a data set has. Every school has as many of what is counted by school. */
export interface DistrictPlan {
  /** The organizations and what they have, as the partial template has them too. */
  organizations: Plan;
  students: number;
  staffPerSchool: number;
  coursesPerSchool: number;
  sectionsPerSchool: number;
  periodsPerDay: number;
  sectionsPerStudent: number;
}

/** The descriptors and learning standards of the Ed-Fi data, which a larger district has no more of. */
const descriptorsFull = 3290;
const learningStandardsFull = 5600;
const learningStandardsMin = 8;

/** A year has two sessions, and two brothers or sisters share two contacts. */
export const sessionsPerSchool = 2;
export const familySize = 2;
export const contactsPerFamily = 2;

/** Workloads that update schools need dozens, or their rows would be contended as no real district's are. */
const schoolsWanted = 36;
const studentsPerSchoolMin = 8;

/**
 * Divides exactly `documents`: as many students as they are enough for, with all that a student brings along; learning
 * standards take what is left. Throws where they are too few to be consistent.
 */
export function planOf(documents: number, profile: Profile): DistrictPlan {
  const plan = Number.isSafeInteger(documents) ? tryPlan(documents, profile) : null;
  if (plan) return plan;
  throw new DatasetError(`A ${profile.places[0]} data set cannot have ${documents} documents`, {
    hint: `Ask for a whole number of at least ${minimumDocuments(profile)}: fewer leave out something that others refer to.`,
  });
}

function tryPlan(documents: number, profile: Profile): DistrictPlan | null {
  const share = Math.min(1, documents / profile.fullDocuments);
  const descriptors = Math.max(countCodes(referredCodes), Math.round(descriptorsFull * share));
  const learningStandards = Math.max(learningStandardsMin, Math.round(learningStandardsFull * share));
  const sizeFor = (students: number): number =>
    documentsOf(districtOf(students, descriptors, learningStandards, profile));
  let [enough, tooMany] = [0, documents];
  while (enough + 1 < tooMany) {
    const students = Math.floor((enough + tooMany) / 2);
    if (sizeFor(students) <= documents) enough = students;
    else tooMany = students;
  }
  if (enough === 0) return null;
  return districtOf(enough, descriptors, learningStandards + documents - sizeFor(enough), profile);
}

function districtOf(students: number, descriptors: number, learningStandards: number, profile: Profile): DistrictPlan {
  const schoolsForStudents = Math.max(schoolsWanted, Math.round(students / profile.studentsPerSchool));
  const schools = Math.max(1, Math.min(schoolsForStudents, Math.floor(students / studentsPerSchoolMin)));
  const { coursesPerSchool, periodsPerDay, sectionsPerStudent, studentsPerSection, studentsPerStaff } = profile;
  const studentsOfSchool = Math.ceil(students / schools);
  const seats = studentsOfSchool * sectionsPerStudent;
  // A student sits in different sections, so there must be as many as one student takes.
  const sectionsPerSchool = Math.max(sectionsPerStudent, Math.ceil(seats / studentsPerSection));
  const districts = Math.max(1, Math.round(schools / 12));
  const organizations: Plan = {
    descriptors,
    learningStandards,
    educationServiceCenters: 1,
    localEducationAgencies: districts,
    schools,
    communityOrganizations: 1,
    postSecondaryInstitutions: 1,
    organizationDepartments: districts,
    locations: schools * Math.ceil(sectionsPerSchool / periodsPerDay),
    classPeriods: schools * periodsPerDay,
    courses: schools * coursesPerSchool,
    programs: districts * 4,
    accountabilityRatings: schools,
    learningStandardEquivalenceAssociations: 4,
    sessions: schools * sessionsPerSchool,
    calendars: schools,
  };
  const staffPerSchool = Math.max(2, Math.ceil(studentsOfSchool / studentsPerStaff));
  return {
    organizations,
    students,
    staffPerSchool,
    coursesPerSchool,
    sectionsPerSchool,
    periodsPerDay,
    sectionsPerStudent,
  };
}

/** How many contacts the families of this many students have. */
export function contactsOf(students: number): number {
  return Math.ceil(students / familySize) * contactsPerFamily;
}

function documentsOf(plan: DistrictPlan): number {
  const { organizations, students, staffPerSchool, coursesPerSchool, sectionsPerSchool, sectionsPerStudent } = plan;
  const { schools, sessions, calendars, communityOrganizations } = organizations;
  const planned = Object.values(organizations).reduce((sum: number, count: number) => sum + count, 0);
  const companions = sessions * gradingPeriodsPerSession + calendars * datesPerCalendar + communityOrganizations * 2;
  const offerings = schools * coursesPerSchool * sessionsPerSchool;
  // A section has one teacher; a member of the staff has a job, a place of work and a program.
  const teaching = schools * (sectionsPerSchool * 2 + staffPerSchool * 4);
  // A student is enrolled in a school, known to it, and related to each contact.
  const learning = students * (3 + contactsPerFamily + sectionsPerStudent) + contactsOf(students);
  return planned + companions + offerings + teaching + learning;
}

function minimumDocuments(profile: Profile): number {
  let documents = countCodes(referredCodes);
  while (!tryPlan(documents, profile)) documents++;
  return documents;
}
