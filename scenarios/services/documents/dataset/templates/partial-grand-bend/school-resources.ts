import type { JsonObject } from '../../../model/document.ts';
import { createRandom } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { codeAt, codesOf, uri } from './descriptors.ts';
import { localEducationAgencyId, schoolIdOf } from './education-organizations.ts';
import { learningStandardIdOf } from './learning-standards.ts';
import type { Plan } from './plan.ts';

/** Rooms, class periods, courses, programs and ratings of schools and districts, each kind dealt out in order. */
export function* generateSchoolResources(plan: Plan, seed: number): Iterable<Document> {
  yield* generateLocations(plan, seed);
  yield* generateClassPeriods(plan);
  yield* generateCourses(plan, seed);
  yield* generatePrograms(plan);
  yield* generateAccountabilityRatings(plan);
}

function* generateLocations(plan: Plan, seed: number): Iterable<Document> {
  const random = createRandom(seed);
  for (let i = 0; i < plan.locations; i++) {
    const seats = random.integer(18, 32);
    const body = {
      schoolReference: schoolReference(i, plan),
      classroomIdentificationCode: classroomCodeOf(turnOf(i, plan.schools)),
      maximumNumberOfSeats: seats,
      optimalNumberOfSeats: seats - 2,
    };
    yield { resource: 'locations', body };
  }
}

function* generateClassPeriods(plan: Plan): Iterable<Document> {
  for (let i = 0; i < plan.classPeriods; i++) {
    const period = turnOf(i, plan.schools);
    const hour = twoDigits(8 + (period % 8));
    const body = {
      schoolReference: schoolReference(i, plan),
      classPeriodName: classPeriodNameOf(period),
      meetingTimes: [{ startTime: `${hour}:05:00`, endTime: `${hour}:55:00` }],
    };
    yield { resource: 'classPeriods', body };
  }
}

const courseLevels = ['I', 'II', 'III', 'IV'];

function* generateCourses(plan: Plan, seed: number): Iterable<Document> {
  const random = createRandom(seed + 1);
  const subjects = codesOf('AcademicSubject').length;
  for (let i = 0; i < plan.courses; i++) {
    const subject = codeAt('AcademicSubject', i);
    const title = `${subject} ${courseLevels[Math.floor(i / subjects) % courseLevels.length]}`;
    const code = courseCodeOf(i);
    const body: JsonObject = {
      courseCode: code,
      courseTitle: title,
      courseDescription: title,
      numberOfParts: 1,
      identificationCodes: [
        {
          courseIdentificationSystemDescriptor: uri('CourseIdentificationSystem', 'LEA course code'),
          identificationCode: code,
          courseCatalogURL: 'http://www.isd255901.example/coursecatalog',
        },
      ],
      levelCharacteristics: [{ courseLevelCharacteristicDescriptor: uri('CourseLevelCharacteristic', 'Core Subject') }],
      academicSubjects: [{ academicSubjectDescriptor: uri('AcademicSubject', subject) }],
      highSchoolCourseRequirement: random.next() < 0.5,
      courseGPAApplicabilityDescriptor: uri('CourseGPAApplicability', 'Applicable'),
      courseDefinedByDescriptor: uri('CourseDefinedBy', 'SEA'),
      educationOrganizationReference: { educationOrganizationId: schoolIdOf(i % plan.schools, plan) },
    };
    // 38 of the template's 84 courses name a standard.
    if (random.next() < 0.45) {
      const learningStandardId = learningStandardIdOf(random.integer(0, plan.learningStandards - 1));
      body.learningStandards = [{ learningStandardReference: { learningStandardId } }];
    }
    yield { resource: 'courses', body };
  }
}

function* generatePrograms(plan: Plan): Iterable<Document> {
  const types = codesOf('ProgramType').length;
  for (let i = 0; i < plan.programs; i++) {
    const turn = turnOf(i, plan.localEducationAgencies);
    const type = codeAt('ProgramType', turn);
    const round = Math.floor(turn / types);
    const sponsor = i % 2 === 0 ? 'Local Education Agency' : 'Federal government';
    const agency = localEducationAgencyId(i % plan.localEducationAgencies);
    const body = {
      educationOrganizationReference: { educationOrganizationId: agency },
      programId: String(turn + 1),
      programName: round === 0 ? type : `${type} ${round + 1}`,
      programTypeDescriptor: uri('ProgramType', type),
      sponsors: [{ programSponsorDescriptor: uri('ProgramSponsor', sponsor) }],
    };
    yield { resource: 'programs', body };
  }
}

function* generateAccountabilityRatings(plan: Plan): Iterable<Document> {
  for (let i = 0; i < plan.accountabilityRatings; i++) {
    const schoolYear = 2022 + turnOf(i, plan.schools);
    const body = {
      educationOrganizationReference: { educationOrganizationId: schoolIdOf(i % plan.schools, plan) },
      ratingTitle: 'Accountability Rating',
      rating: i % 3 === 0 ? 'Exemplary' : 'Recognized',
      ratingDate: `${schoolYear}-05-16`,
      schoolYearTypeReference: { schoolYear },
      ratingOrganization: 'SEA',
      ratingProgram: 'AEIS',
    };
    yield { resource: 'accountabilityRatings', body };
  }
}

/** The room of a school, counted from 0. */
export function classroomCodeOf(turn: number): string {
  return String(101 + turn);
}

/** The class period of a school, counted from 0. */
export function classPeriodNameOf(turn: number): string {
  return `${twoDigits(turn + 1)} - Traditional`;
}

/** The course of an index; the schools have courses in order. */
export function courseCodeOf(index: number): string {
  return `C-${1000 + index}`;
}

function schoolReference(index: number, plan: Plan): { schoolId: number } {
  return { schoolId: schoolIdOf(index % plan.schools, plan) };
}

/** How many times each owner has had one before: with the owner it makes a natural key that does not come twice. */
function turnOf(index: number, owners: number): number {
  return Math.floor(index / owners);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
