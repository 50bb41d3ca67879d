import type { JsonObject } from '../../../model/document.ts';
import { createRandom, type Random, seedOf } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { uri as organizationUri } from '../partial-grand-bend/descriptors.ts';
import { gradesOfSchool, schoolIdOf } from '../partial-grand-bend/education-organizations.ts';
import { calendarCodeOf } from '../partial-grand-bend/school-calendar.ts';
import { placeNames } from '../partial-grand-bend/words.ts';
import { codesOf, uri } from './descriptor-codes.ts';
import { firstName } from './names.ts';
import { dayIn, electronicMail, type Household, householdOf, races } from './personal-details.ts';
import { type DistrictPlan, familySize } from './plan.ts';

const schoolYear = 2022;

/** The ages of students in high, middle and elementary schools, which take turns. */
const ages = [16, 12, 8];

/** Facts about a student that several documents contain. */
interface Person {
  id: string;
  first: string;
  sex: string;
}

/** Students, each with the enrolment in a school and what the school knows. Schools take students in order. */
export function* generateStudents(plan: DistrictPlan, seed: number): Iterable<Document> {
  const random = createRandom(seed);
  for (let i = 0; i < plan.students; i++) {
    const school = i % plan.organizations.schools;
    const household = householdOf(householdSeedOf(i, seed));
    const person = { id: studentIdOf(i), first: firstName(random), sex: uri('Sex', random.pick(codesOf('Sex'))) };
    yield student(person, school, household, random);
    yield enrolment(i, school, plan, random);
    yield knownToSchool(person, school, plan, household, random);
  }
}

/** The id of the student of an index. */
export function studentIdOf(index: number): string {
  return String(600_001 + index);
}

/** Neighbours by index are a family. */
export function householdSeedOf(student: number, seed: number): number {
  return seedOf(seed, 'household', Math.floor(student / familySize));
}

/** The students of a school go through its grades one after the other. */
function gradeIn(grades: readonly string[], index: number, schools: number): number {
  return Math.floor(index / schools) % grades.length;
}

function student({ id, first, sex }: Person, school: number, household: Household, random: Random): Document {
  const age = ages[school % ages.length] ?? 12;
  const body = {
    studentUniqueId: id,
    firstName: first,
    middleName: firstName(random),
    lastSurname: household.lastSurname,
    birthDate: dayIn(schoolYear - age + random.integer(-1, 1), random),
    birthCity: random.pick(placeNames),
    birthStateAbbreviationDescriptor: organizationUri('StateAbbreviation', 'TX'),
    birthSexDescriptor: sex,
    citizenshipStatusDescriptor: uri('CitizenshipStatus', 'US Citizen'),
    multipleBirthStatus: false,
  };
  return { resource: 'students', body };
}

function enrolment(index: number, school: number, plan: DistrictPlan, random: Random): Document {
  const schoolId = schoolIdOf(school, plan.organizations);
  const grades = gradesOfSchool(school);
  const grade = gradeIn(grades, index, plan.organizations.schools);
  const body = {
    studentReference: { studentUniqueId: studentIdOf(index) },
    schoolReference: { schoolId },
    schoolYearTypeReference: { schoolYear },
    calendarReference: { calendarCode: calendarCodeOf(school), schoolId, schoolYear },
    entryDate: `${schoolYear - 1}-08-23`,
    entryGradeLevelDescriptor: organizationUri('GradeLevel', grades[grade] ?? 'First grade'),
    entryTypeDescriptor: uri('EntryType', random.pick(codesOf('EntryType'))),
    primarySchool: true,
    repeatGradeIndicator: random.next() < 0.02,
  };
  return { resource: 'studentSchoolAssociations', body };
}

function knownToSchool(
  { id, first, sex }: Person,
  school: number,
  plan: DistrictPlan,
  household: Household,
  random: Random,
): Document {
  const body: JsonObject = {
    studentReference: { studentUniqueId: id },
    educationOrganizationReference: { educationOrganizationId: schoolIdOf(school, plan.organizations) },
    sexDescriptor: sex,
    hispanicLatinoEthnicity: random.next() < 0.4,
    races: races(random),
    addresses: [household.address],
    electronicMails: [electronicMail('Organization', first, household.lastSurname, id)],
    telephones: [
      {
        telephoneNumberTypeDescriptor: uri('TelephoneNumberType', 'Home'),
        telephoneNumber: household.telephoneNumber,
      },
    ],
    languages: [
      {
        languageDescriptor: uri('Language', random.pick(codesOf('Language'))),
        uses: [{ languageUseDescriptor: uri('LanguageUse', 'Home language') }],
      },
    ],
    limitedEnglishProficiencyDescriptor: uri(
      'LimitedEnglishProficiency',
      random.next() < 0.15 ? 'Limited' : 'NotLimited',
    ),
    studentIdentificationCodes: codesOf('StudentIdentificationSystem').map((system) => ({
      studentIdentificationSystemDescriptor: uri('StudentIdentificationSystem', system),
      assigningOrganizationIdentificationCode: system,
      identificationCode: system === 'State' ? String(random.integer(10_000_000, 99_999_999)) : id,
    })),
  };
  if (random.next() < 0.4) {
    const characteristic = random.pick(codesOf('StudentCharacteristic'));
    body.studentCharacteristics = [{ studentCharacteristicDescriptor: uri('StudentCharacteristic', characteristic) }];
  }
  return { resource: 'studentEducationOrganizationAssociations', body };
}
