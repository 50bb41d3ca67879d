import type { JsonObject } from '../../../model/document.ts';
import type { Document } from '../../types.ts';
import { codeAt, uri } from './descriptors.ts';
import { schoolIdOf } from './education-organizations.ts';
import { datesPerCalendar, gradingPeriodsPerSession, type Plan } from './plan.ts';

/** The template's terms. A session's grading periods are thirds of it. */
const terms = [
  {
    term: 'Fall Semester',
    beginDate: '08-23',
    endDate: '12-17',
    thirds: ['08-23', '10-04', '11-08', '12-17'],
    days: 81,
    yearsBack: 1,
  },
  {
    term: 'Spring Semester',
    beginDate: '01-04',
    endDate: '05-27',
    thirds: ['01-04', '02-22', '04-11', '05-27'],
    days: 88,
    yearsBack: 0,
  },
] as const;

interface SessionPlan {
  schoolId: number;
  schoolYear: number;
  name: string;
  term: (typeof terms)[number];
  /** 0 for a school year's first session, 1 for its second. */
  termIndex: number;
}

/** Grading periods, the sessions that are made of them, calendars and their dates. */
export function* generateSchoolCalendar(plan: Plan): Iterable<Document> {
  for (let i = 0; i < plan.sessions; i++) {
    const session = sessionPlan(i, plan);
    for (let third = 0; third < gradingPeriodsPerSession; third++) yield gradingPeriod(session, third);
    yield sessionDocument(session);
  }
  for (let i = 0; i < plan.calendars; i++) yield* calendarWithDates(i, plan);
}

function sessionPlan(index: number, plan: Plan): SessionPlan {
  const turn = Math.floor(index / plan.schools);
  const termIndex = turn % terms.length;
  const schoolYear = 2022 + Math.floor(turn / terms.length);
  const term = terms[termIndex] ?? terms[0];
  const name = `${schoolYear - 1}-${schoolYear} ${term.term}`;
  return { schoolId: schoolIdOf(index % plan.schools, plan), schoolYear, name, term, termIndex };
}

/** A session as other documents refer to it. */
export interface SessionKey {
  schoolId: number;
  schoolYear: number;
  sessionName: string;
}

/** The session of an index, which schools have in order, with its first and last day. */
export function sessionAt(index: number, plan: Plan): { key: SessionKey; beginDate: string; endDate: string } {
  const { schoolId, schoolYear, name, term } = sessionPlan(index, plan);
  const year = schoolYear - term.yearsBack;
  return {
    key: { schoolId, schoolYear, sessionName: name },
    beginDate: `${year}-${term.beginDate}`,
    endDate: `${year}-${term.endDate}`,
  };
}

/** The calendar of an index, which schools have in order. */
export function calendarCodeOf(index: number): string {
  return String(2_010_605_675 + index);
}

function gradingPeriodKey(session: SessionPlan, third: number): JsonObject {
  const code = codeAt('GradingPeriod', session.termIndex * gradingPeriodsPerSession + third);
  return {
    gradingPeriodDescriptor: uri('GradingPeriod', code),
    gradingPeriodName: `${session.name} Exam ${third + 1}`,
  };
}

function gradingPeriod(session: SessionPlan, third: number): Document {
  const { term, schoolYear } = session;
  const year = schoolYear - term.yearsBack;
  const body = {
    ...gradingPeriodKey(session, third),
    schoolReference: { schoolId: session.schoolId },
    schoolYearTypeReference: { schoolYear },
    periodSequence: session.termIndex * gradingPeriodsPerSession + third + 1,
    beginDate: `${year}-${term.thirds[third] ?? term.beginDate}`,
    endDate: `${year}-${term.thirds[third + 1] ?? term.endDate}`,
    totalInstructionalDays: Math.floor(term.days / gradingPeriodsPerSession),
  };
  return { resource: 'gradingPeriods', body };
}

function sessionDocument(session: SessionPlan): Document {
  const { schoolId, schoolYear, term } = session;
  const year = schoolYear - term.yearsBack;
  const body = {
    sessionName: session.name,
    schoolReference: { schoolId },
    schoolYearTypeReference: { schoolYear },
    beginDate: `${year}-${term.beginDate}`,
    endDate: `${year}-${term.endDate}`,
    termDescriptor: uri('Term', term.term),
    totalInstructionalDays: term.days,
    gradingPeriods: Array.from({ length: gradingPeriodsPerSession }, (_, third) => ({
      gradingPeriodReference: { ...gradingPeriodKey(session, third), schoolId, schoolYear },
    })),
  };
  return { resource: 'sessions', body };
}

function* calendarWithDates(index: number, plan: Plan): Iterable<Document> {
  const schoolId = schoolIdOf(index % plan.schools, plan);
  const calendarCode = calendarCodeOf(index);
  const schoolYear = 2022;
  const calendar = {
    calendarCode,
    schoolReference: { schoolId },
    schoolYearTypeReference: { schoolYear },
    calendarTypeDescriptor: uri('CalendarType', 'Student Specific'),
  };
  yield { resource: 'calendars', body: calendar };
  for (let i = 0; i < datesPerCalendar; i++) {
    const body = {
      calendarReference: { calendarCode, schoolId, schoolYear },
      date: new Date(Date.UTC(2021, 7, 23 + i)).toISOString().slice(0, 10),
      calendarEvents: [{ calendarEventDescriptor: uri('CalendarEvent', 'Instructional day') }],
    };
    yield { resource: 'calendarDates', body };
  }
}
