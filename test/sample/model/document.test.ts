import { describe, expect, it } from 'vitest';
import {
  describeDocument,
  documentUuidOf,
  InvalidDocumentError,
  type JsonObject,
} from '../../../scenarios/services/documents/model/document.ts';
import { findResource, resourceEndpoints } from '../../../scenarios/services/documents/model/lookup.ts';

const school: JsonObject = {
  schoolId: 255901001,
  nameOfInstitution: 'Grand Bend High School',
  gradeLevels: [
    { gradeLevelDescriptor: 'uri://ed-fi.org/GradeLevelDescriptor#Ninth grade' },
    { gradeLevelDescriptor: 'uri://ed-fi.org/GradeLevelDescriptor#Tenth grade' },
    { gradeLevelDescriptor: 'uri://ed-fi.org/GradeLevelDescriptor#Ninth grade' },
  ],
  localEducationAgencyReference: { localEducationAgencyId: 255901 },
};

const gradeLevel: JsonObject = { namespace: 'uri://ed-fi.org/GradeLevelDescriptor', codeValue: 'Ninth grade' };

describe('a document', () => {
  it('has an id that stays the same in every version', () => {
    expect(describeDocument('schools', school)).toMatchObject({
      documentId: 'bNLjMYVdqCHsGEUu86FmLyAerzWjtwqpEDzTg5',
      resourceName: 'School',
      isDescriptor: false,
      identity: { schoolId: 255901001 },
    });
    expect(documentUuidOf('bNLjMYVdqCHsGEUu86FmLyAerzWjtwqpEDzTg5')).toBe('87115e65-e6fe-5b96-b2d3-76f12edf8e8c');
  });

  it('has one id whatever the order of its keys and the rest of its body', () => {
    const period = {
      gradingPeriodDescriptor: 'uri://ed-fi.org/GradingPeriodDescriptor#First',
      gradingPeriodName: 'First',
      schoolReference: { schoolId: 1 },
      schoolYearTypeReference: { schoolYear: 2026 },
    };
    const turned = Object.fromEntries(Object.entries({ ...period, periodSequence: 2 }).reverse());
    const [one, other] = [period, turned].map((body) => describeDocument('gradingPeriods', body));
    expect(other?.documentId).toBe(one?.documentId);
    expect(one?.documentId).toMatch(/^[\w-]{38}$/);
    expect(describeDocument('gradingPeriods', { ...period, gradingPeriodName: 'Second' }).documentId).not.toBe(
      one?.documentId,
    );
  });

  it('is found by references to its superclass', () => {
    const { documentId, aliasIds } = describeDocument('schools', school);
    const course = { courseCode: 'ALG-1', educationOrganizationReference: { educationOrganizationId: 255901001 } };
    const [reference] = describeDocument('courses', course).references;
    expect(aliasIds).toEqual([documentId, reference?.documentId]);
    expect(reference).toMatchObject({
      resourceName: 'EducationOrganization',
      identity: { educationOrganizationId: 255901001 },
    });
    expect(describeDocument('courses', course).aliasIds).toHaveLength(1);
  });

  it('refers to each other document once, in the order of the body', () => {
    const { references } = describeDocument('schools', school);
    const agency = describeDocument('localEducationAgencies', { localEducationAgencyId: 255901 });
    expect(references.map((each) => each.resourceName)).toEqual([
      'GradeLevelDescriptor',
      'GradeLevelDescriptor',
      'LocalEducationAgency',
    ]);
    expect(references[0]?.documentId).toBe(describeDocument('gradeLevelDescriptors', gradeLevel).documentId);
    expect(references[0]?.identity).toEqual(gradeLevel);
    expect(references[2]?.documentId).toBe(agency.documentId);
  });

  it('has no reference for a school year, nor for the parts of a reference', () => {
    const session = {
      sessionName: 'Fall',
      schoolReference: { schoolId: 1 },
      schoolYearTypeReference: { schoolYear: 2026 },
      gradingPeriods: [
        {
          gradingPeriodReference: {
            gradingPeriodDescriptor: 'uri://ed-fi.org/GradingPeriodDescriptor#First',
            gradingPeriodName: 'First',
            schoolId: 1,
            schoolYear: 2026,
          },
        },
      ],
    };
    const { references, identity } = describeDocument('sessions', session);
    expect(references.map((each) => each.resourceName)).toEqual(['School', 'GradingPeriod']);
    expect(identity).toEqual({ schoolId: 1, schoolYear: 2026, sessionName: 'Fall' });
  });

  it('may refer by a role name', () => {
    const standard = {
      learningStandardId: '110.1.A',
      parentLearningStandardReference: { learningStandardId: '110.1' },
    };
    const parent = describeDocument('learningStandards', { learningStandardId: '110.1' });
    expect(describeDocument('learningStandards', standard).references[0]?.documentId).toBe(parent.documentId);
  });

  it('has a uuid that follows from its id', () => {
    const uuid = documentUuidOf('a');
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(documentUuidOf('a')).toBe(uuid);
    expect(documentUuidOf('b')).not.toBe(uuid);
  });
});

describe('a body that is no document', () => {
  const cases: [string, JsonObject, string, string][] = [
    ['schools', {}, '/schoolId', 'expected a whole number, found nothing'],
    ['schools', { schoolId: '1' }, '/schoolId', 'expected a whole number, found "1"'],
    ['schools', { schoolId: 1.5 }, '/schoolId', 'expected a whole number, found 1.5'],
    ['learningStandards', { learningStandardId: '' }, '/learningStandardId', 'expected a text that is not empty'],
    ['locations', { classroomIdentificationCode: '1' }, '/schoolReference/schoolId', 'found nothing'],
    [
      'schools',
      { schoolId: 1, schoolTypeDescriptor: 'Regular' },
      '/schoolTypeDescriptor',
      "expected a descriptor's URI",
    ],
    ['schools', { schoolId: 1, schoolTypeDescriptor: 7 }, '/schoolTypeDescriptor', 'found 7'],
    [
      'schools',
      { schoolId: 1, gradeLevels: [{}, { gradeLevelDescriptor: 'uri://x/GradeLevelDescriptor#' }] },
      '/gradeLevels/1/gradeLevelDescriptor',
      "expected a descriptor's URI",
    ],
    ['schools', { schoolId: 1, planetReference: {} }, '/planetReference', 'expected a reference to a known resource'],
    ['schools', { schoolId: 1, localEducationAgencyReference: 3 }, '/localEducationAgencyReference', 'found 3'],
    [
      'schools',
      { schoolId: 1, localEducationAgencyReference: {} },
      '/localEducationAgencyReference/localEducationAgencyId',
      'found nothing',
    ],
    ['termDescriptors', gradeLevel, '/namespace', 'ends in /TermDescriptor'],
    ['unicorns', {}, '', "found the endpoint 'unicorns'"],
  ];
  it.each(cases)('%s %j: the error says where', (endpoint, body, path, message) => {
    const error = thrown(() => describeDocument(endpoint, body));
    expect(error).toBeInstanceOf(InvalidDocumentError);
    expect(error).toMatchObject({ path, message: expect.stringContaining(message) });
  });

  it('is one that is nested without end', () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 5000; i++) deep = { a: deep };
    expect(() => describeDocument('schools', { schoolId: 1, deep })).toThrow('expected at most 16 levels');
  });
});

describe('resources', () => {
  it('are found by endpoint', () => {
    for (const endpoint of resourceEndpoints) expect(findResource(endpoint)).toMatchObject({ endpoint });
    expect(new Set(resourceEndpoints.map((endpoint) => findResource(endpoint)?.idPrefix)).size).toBe(
      resourceEndpoints.length,
    );
    expect(findResource('termDescriptors')).toMatchObject({ name: 'TermDescriptor', isDescriptor: true });
    for (const none of ['School', 'constructor', 'Descriptors', '', 'x/Descriptors'])
      expect(findResource(none)).toBeNull();
  });

  it('stay right after more made-up names than are remembered', () => {
    for (let i = 0; i < 3000; i++) {
      expect(findResource(`x${i}Descriptors`)?.name).toBe(`X${i}Descriptor`);
      const body = { schoolId: 1, [`role${i}SchoolReference`]: { schoolId: i } };
      expect(describeDocument('schools', body).references).toHaveLength(1);
    }
  });
});

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
