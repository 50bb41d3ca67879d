import type { Document } from '../../types.ts';
import type { DistrictPlan } from './plan.ts';
import { sectionAt } from './schedule.ts';
import { studentIdOf } from './students.ts';

/** The sections that each student is in: as many for all, and the sections of a school filled evenly. */
export function* generateSectionEnrolments(plan: DistrictPlan): Iterable<Document> {
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
