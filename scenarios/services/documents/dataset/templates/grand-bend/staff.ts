import { createRandom, type Random } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { localEducationAgencyId, schoolIdOf } from '../partial-grand-bend/education-organizations.ts';
import { codesOf, uri } from './descriptor-codes.ts';
import { firstName, lastName } from './names.ts';
import { dayIn, electronicMail, races } from './personal-details.ts';
import type { DistrictPlan } from './plan.ts';
import { sectionAt } from './schedule.ts';

/** Those who work at the schools, each with employment, assignment and school, then the sections that they teach. */
export function* generateStaff(plan: DistrictPlan, seed: number): Iterable<Document> {
  const random = createRandom(seed);
  const { schools } = plan.organizations;
  for (let i = 0; i < schools * plan.staffPerSchool; i++) yield* memberOfStaff(i, plan, random);
  for (let school = 0; school < schools; school++) {
    for (let i = 0; i < plan.sectionsPerSchool; i++) yield teaching(school, i, plan);
  }
}

/** Staff are dealt out to the schools in order. */
function staffIdOf(index: number): string {
  return String(200_001 + index);
}

function* memberOfStaff(index: number, plan: DistrictPlan, random: Random): Iterable<Document> {
  const staffUniqueId = staffIdOf(index);
  const school = index % plan.organizations.schools;
  const hireDate = dayIn(random.integer(1995, 2020), random);
  yield staff(staffUniqueId, random);
  const staffReference = { staffUniqueId };
  const agency = localEducationAgencyId(school % plan.organizations.localEducationAgencies);
  const employment = {
    staffReference,
    educationOrganizationReference: { educationOrganizationId: agency },
    employmentStatusDescriptor: uri('EmploymentStatus', random.pick(codesOf('EmploymentStatus'))),
    hireDate,
    fullTimeEquivalency: 1,
  };
  yield { resource: 'staffEducationOrganizationEmploymentAssociations', body: employment };
  const schoolId = schoolIdOf(school, plan.organizations);
  const isPrincipal = index < plan.organizations.schools;
  const assignment = {
    staffReference,
    educationOrganizationReference: { educationOrganizationId: schoolId },
    staffClassificationDescriptor: uri('StaffClassification', isPrincipal ? 'Principal' : 'Teacher'),
    beginDate: hireDate,
    positionTitle: isPrincipal ? 'Principal' : 'Teacher',
    orderOfAssignment: 1,
  };
  yield { resource: 'staffEducationOrganizationAssignmentAssociations', body: assignment };
  const atSchool = {
    staffReference,
    schoolReference: { schoolId },
    programAssignmentDescriptor: uri('ProgramAssignment', random.pick(codesOf('ProgramAssignment'))),
  };
  yield { resource: 'staffSchoolAssociations', body: atSchool };
}

function staff(staffUniqueId: string, random: Random): Document {
  const [first, last] = [firstName(random), lastName(random)];
  const body = {
    staffUniqueId,
    firstName: first,
    middleName: firstName(random),
    lastSurname: last,
    birthDate: dayIn(random.integer(1957, 1996), random),
    sexDescriptor: uri('Sex', random.pick(codesOf('Sex'))),
    hispanicLatinoEthnicity: random.next() < 0.3,
    races: races(random),
    highestCompletedLevelOfEducationDescriptor: uri('LevelOfEducation', random.pick(codesOf('LevelOfEducation'))),
    yearsOfPriorTeachingExperience: random.integer(0, 25),
    highlyQualifiedTeacher: random.next() < 0.9,
    loginId: `${first.charAt(0)}${last}${staffUniqueId}`.toLowerCase(),
    electronicMails: [electronicMail('Organization', first, last, staffUniqueId)],
    identificationCodes: codesOf('StaffIdentificationSystem').map((system) => ({
      staffIdentificationSystemDescriptor: uri('StaffIdentificationSystem', system),
      identificationCode: system === 'State' ? String(random.integer(1_000_000, 9_999_999)) : staffUniqueId,
    })),
  };
  return { resource: 'staffs', body };
}

function teaching(school: number, index: number, plan: DistrictPlan): Document {
  const { key, beginDate, endDate } = sectionAt(school, index, plan);
  const staffIndex = school + plan.organizations.schools * (index % plan.staffPerSchool);
  const body = {
    staffReference: { staffUniqueId: staffIdOf(staffIndex) },
    sectionReference: { ...key },
    classroomPositionDescriptor: uri('ClassroomPosition', 'Teacher of Record'),
    beginDate,
    endDate,
    highlyQualifiedTeacher: true,
  };
  return { resource: 'staffSectionAssociations', body };
}
