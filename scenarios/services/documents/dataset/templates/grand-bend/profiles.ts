import type { TemplateName } from '../templates.ts';

/** Characteristics of a district: its place, and the staff of its schools. */
export interface Profile {
  /** The places that its districts and schools are named after. */
  readonly places: readonly string[];
  /** The size at which it has as many descriptors and standards as the Ed-Fi data. */
  readonly fullDocuments: number;
  readonly studentsPerSchool: number;
  readonly coursesPerSchool: number;
  readonly periodsPerDay: number;
  readonly sectionsPerStudent: number;
  readonly studentsPerSection: number;
  readonly studentsPerStaff: number;
}

/**
 * Plausible, not counted, unlike the partial template: the data of these two was not at hand. A small district with
 * small classes, and a large one where enrolment in sections is half of all documents.
 */
export const profiles: Readonly<Record<Exclude<TemplateName, 'partial-grand-bend'>, Profile>> = {
  'grand-bend': {
    places: ['Grand Bend', 'Cedar Hollow', 'Pine Ridge', 'Stone Creek', 'Red Bluff', 'Mesa Verde', 'Salt Flats'],
    fullDocuments: 20_000,
    studentsPerSchool: 250,
    coursesPerSchool: 4,
    periodsPerDay: 6,
    sectionsPerStudent: 5,
    studentsPerSection: 18,
    studentsPerStaff: 12,
  },
  southridge: {
    places: ['Southridge', 'Northgate', 'Westmoor', 'Eastvale', 'Midfield', 'Highbank', 'Longmeadow', 'Fairwater'],
    fullDocuments: 100_000,
    studentsPerSchool: 500,
    coursesPerSchool: 10,
    periodsPerDay: 8,
    sectionsPerStudent: 8,
    studentsPerSection: 24,
    studentsPerStaff: 16,
  },
};
