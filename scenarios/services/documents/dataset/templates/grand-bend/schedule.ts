import type { Document } from '../../types.ts';
import { schoolIdOf } from '../partial-grand-bend/education-organizations.ts';
import { type SessionKey, sessionAt } from '../partial-grand-bend/school-calendar.ts';
import { classPeriodNameOf, classroomCodeOf, courseCodeOf } from '../partial-grand-bend/school-resources.ts';
import { uri } from './descriptor-codes.ts';
import { type DistrictPlan, sessionsPerSchool } from './plan.ts';

/** A section as other documents refer to it. */
export interface SectionKey extends SessionKey {
  localCourseCode: string;
  sectionIdentifier: string;
}

/** The courses that each school offers in each session, then the sections that they are taught in. */
export function* generateSchedule(plan: DistrictPlan): Iterable<Document> {
  const { schools } = plan.organizations;
  for (let school = 0; school < schools; school++) {
    for (let i = 0; i < plan.coursesPerSchool * sessionsPerSchool; i++) yield courseOffering(school, i, plan);
  }
  for (let school = 0; school < schools; school++) {
    for (let i = 0; i < plan.sectionsPerSchool; i++) yield section(school, i, plan);
  }
}

/** The section of a school, counted from 0, with the days on which it begins and ends. */
export function sectionAt(
  school: number,
  index: number,
  plan: DistrictPlan,
): { key: SectionKey; beginDate: string; endDate: string } {
  const { localCourseCode, session } = offeringAt(school, index, plan);
  const { schoolId, sessionName, schoolYear } = session.key;
  const sectionIdentifier = `${schoolId}-${localCourseCode}-${String(index + 1).padStart(3, '0')}`;
  const { beginDate, endDate } = session;
  return { key: { localCourseCode, schoolId, schoolYear, sectionIdentifier, sessionName }, beginDate, endDate };
}

interface Offering {
  course: number;
  localCourseCode: string;
  session: ReturnType<typeof sessionAt>;
}

/** A school offers its first course in both sessions, then its second: an index past the last begins again. */
function offeringAt(school: number, index: number, plan: DistrictPlan): Offering {
  const { schools } = plan.organizations;
  const turn = index % (plan.coursesPerSchool * sessionsPerSchool);
  const course = school + schools * Math.floor(turn / sessionsPerSchool);
  const session = sessionAt(school + schools * (turn % sessionsPerSchool), plan.organizations);
  return { course, localCourseCode: courseCodeOf(course), session };
}

function courseOffering(school: number, index: number, plan: DistrictPlan): Document {
  const { localCourseCode, session } = offeringAt(school, index, plan);
  const { schoolId } = session.key;
  const body = {
    localCourseCode,
    localCourseTitle: `Local course ${localCourseCode}`,
    courseReference: { courseCode: localCourseCode, educationOrganizationId: schoolId },
    schoolReference: { schoolId },
    sessionReference: { ...session.key },
    instructionalTimePlanned: 54 * 81,
  };
  return { resource: 'courseOfferings', body };
}

/** Sections go through the periods of the day, then to the next room, so no room is taken twice at once. */
function section(school: number, index: number, plan: DistrictPlan): Document {
  const { key } = sectionAt(school, index, plan);
  const { localCourseCode, schoolYear, sectionIdentifier, sessionName } = key;
  const schoolId = schoolIdOf(school, plan.organizations);
  const classPeriodName = classPeriodNameOf(index % plan.periodsPerDay);
  const body = {
    sectionIdentifier,
    sectionName: `${localCourseCode} ${sessionName}`,
    courseOfferingReference: { localCourseCode, schoolId, schoolYear, sessionName },
    locationReference: {
      classroomIdentificationCode: classroomCodeOf(Math.floor(index / plan.periodsPerDay)),
      schoolId,
    },
    locationSchoolReference: { schoolId },
    classPeriods: [{ classPeriodReference: { classPeriodName, schoolId } }],
    educationalEnvironmentDescriptor: uri('EducationalEnvironment', 'Classroom'),
    availableCredits: 1,
    sequenceOfCourse: 1,
    officialAttendancePeriod: index % plan.periodsPerDay === 0,
  };
  return { resource: 'sections', body };
}
