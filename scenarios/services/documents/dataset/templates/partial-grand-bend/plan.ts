import { DatasetError } from '../../../errors.ts';
import { referredDescriptorCount } from './descriptors.ts';

/** How many documents of each kind a data set has. */
export interface Plan {
  descriptors: number;
  learningStandards: number;
  educationServiceCenters: number;
  localEducationAgencies: number;
  schools: number;
  communityOrganizations: number;
  postSecondaryInstitutions: number;
  organizationDepartments: number;
  locations: number;
  classPeriods: number;
  courses: number;
  programs: number;
  accountabilityRatings: number;
  learningStandardEquivalenceAssociations: number;
  sessions: number;
  calendars: number;
}

/** The template's size as pgsweep's documents speak of it: 3,290 descriptors among 9,090 documents. */
const templateDocuments = 9090;
const templateDescriptors = 3290;
const templateOthers = templateDocuments - templateDescriptors;

/** Each session comes with its grading periods, each calendar with its dates, each organization with its provider. */
export const gradingPeriodsPerSession = 3;
export const datesPerCalendar = 2;

/**
 * The template has 3 schools. Workloads that update schools need dozens, or their rows would be contended as no real
 * district's are; the schools stand in for learning standards, of which there are thousands.
 */
const schoolsWanted = 36;
const learningStandardsMin = 8;

/** Divides exactly `documents` in the template's proportions. Throws where they are too few to be consistent. */
export function planOf(documents: number): Plan {
  const plan = Number.isSafeInteger(documents) ? tryPlan(documents) : null;
  if (plan) return plan;
  const minimum = minimumDocuments();
  throw new DatasetError(`A partial Grand Bend data set cannot have ${documents} documents`, {
    hint: `Ask for a whole number of at least ${minimum}: fewer leave out something that others refer to.`,
  });
}

function tryPlan(documents: number): Plan | null {
  const descriptors = Math.max(
    referredDescriptorCount,
    Math.round((documents * templateDescriptors) / templateDocuments),
  );
  const others = documents - descriptors;
  const scaled = (real: number): number => Math.max(1, Math.round((real * others) / templateOthers));
  const schools = Math.max(1, Math.min(Math.max(schoolsWanted, Math.round(others / 50)), Math.floor(others / 8)));
  const plan: Plan = {
    descriptors,
    learningStandards: 0,
    educationServiceCenters: scaled(1),
    localEducationAgencies: Math.max(1, Math.round(schools / 12)),
    schools,
    communityOrganizations: scaled(1),
    postSecondaryInstitutions: scaled(1),
    organizationDepartments: scaled(1),
    locations: scaled(56),
    classPeriods: scaled(21),
    courses: scaled(84),
    programs: scaled(25),
    accountabilityRatings: scaled(4),
    learningStandardEquivalenceAssociations: scaled(4),
    sessions: scaled(6),
    calendars: scaled(1),
  };
  const planned = Object.values(plan).reduce((sum: number, count: number) => sum + count, 0);
  const companions =
    plan.sessions * gradingPeriodsPerSession + plan.calendars * datesPerCalendar + plan.communityOrganizations * 2;
  plan.learningStandards = documents - planned - companions;
  return plan.learningStandards >= learningStandardsMin ? plan : null;
}

function minimumDocuments(): number {
  let documents = referredDescriptorCount;
  while (!tryPlan(documents)) documents++;
  return documents;
}
