import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { generateTemplate } from '../../../scenarios/services/documents/dataset/documents-of.ts';
import { readEdFiFolder } from '../../../scenarios/services/documents/dataset/edfi-xml/read-folder.ts';
import { canonicalJson } from '../../../scenarios/services/documents/dataset/fingerprint.ts';
import type { Document } from '../../../scenarios/services/documents/dataset/types.ts';
import { DatasetError } from '../../../scenarios/services/documents/errors.ts';
import { writeEdFiFolder } from '../../fixtures/edfi-writer.ts';
import { needs } from '../../support/needs.ts';
import { countByResource, problemsOf } from './checks.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/edfi', import.meta.url));
const grandBend = await needs('edfi-data');

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function folderWith(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pgsweep-edfi-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

async function readAll(folder: string): Promise<{ documents: Document[]; notices: string[] }> {
  const documents: Document[] = [];
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  for await (const document of readEdFiFolder(folder, { onNotice })) documents.push(document);
  return { documents, notices };
}

async function errorOf(content: string | Buffer): Promise<DatasetError> {
  const error = await readAll(await folderWith({ 'a.xml': content })).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof DatasetError) return error;
  throw new Error(`expected a DatasetError, found ${error}`);
}

const interchange = (content: string): string => `<InterchangeX>\n${content}\n</InterchangeX>\n`;

describe('the small folder with the tricky cases', () => {
  it('comes out with what is referred to first', async () => {
    const { documents } = await readAll(fixtures);
    expect(problemsOf(documents)).toEqual([]);
    expect(countByResource(documents)).toEqual({
      descriptors: 5,
      communityProviderLicenses: 1,
      communityProviders: 1,
      organizationDepartments: 1,
      schools: 1,
      gradingPeriods: 1,
      sessions: 1,
      calendars: 1,
      calendarDates: 2,
    });
  });

  it('becomes JSON by the conventions of Ed-Fi', async () => {
    const { documents } = await readAll(fixtures);
    const bodies = (resource: string) => documents.filter((each) => each.resource === resource).map(({ body }) => body);
    expect(bodies('schools')).toEqual([
      {
        nameOfInstitution: "O'Hara <High> School",
        addresses: [{ city: 'Grand Bend', postalCode: '07334' }],
        schoolId: 1,
        gradeLevels: [{ gradeLevelDescriptor: 'uri://ed-fi.org/GradeLevelDescriptor#Ninth grade' }],
        nicknames: [{ nickname: 'A' }, { nickname: 'B' }],
        constructor: 'anything',
      },
    ]);
    expect(bodies('organizationDepartments')).toEqual([
      { organizationDepartmentId: 40, parentEducationOrganizationReference: { educationOrganizationId: 1 } },
    ]);
    expect(bodies('communityProviderLicenses')).toEqual([
      {
        communityProviderReference: { communityProviderId: 30 },
        licenseIdentifier: '594-c',
        licensingOrganization: 'Health',
      },
    ]);
    expect(bodies('communityProviders')).toEqual([{ communityProviderId: 30, schoolIndicator: false }]);
    // The one whose calendar stands behind it comes out in a later reading.
    expect(bodies('calendarDates')).toEqual([
      { date: '2025-08-26', calendarReference: { calendarCode: '007', schoolId: 1, schoolYear: 2026 } },
      {
        date: '2025-08-25',
        calendarEvents: [{ calendarEventDescriptor: 'uri://ed-fi.org/CalendarEventDescriptor#Holiday' }],
        calendarReference: { calendarCode: '007', schoolId: 1, schoolYear: 2026 },
      },
    ]);
    const first = 'uri://ed-fi.org/GradingPeriodDescriptor#First';
    expect(bodies('sessions')).toEqual([
      {
        sessionName: '2025-2026 Fall',
        schoolYearTypeReference: { schoolYear: 2026 },
        termDescriptor: 'uri://ed-fi.org/TermDescriptor#Fall Semester',
        totalInstructionalDays: 81,
        schoolReference: { schoolId: 1 },
        gradingPeriods: [
          {
            gradingPeriodReference: {
              gradingPeriodDescriptor: first,
              gradingPeriodName: 'First',
              schoolId: 1,
              schoolYear: 2026,
            },
          },
        ],
      },
    ]);
    expect(bodies('termDescriptors')[0]).toMatchObject({ shortDescription: 'Fall & autumn' });
    expect(bodies('cteProgramServiceDescriptors')).toEqual([
      {
        codeValue: 'Arts <A/V>',
        shortDescription: 'Größe, naïve, 学校',
        namespace: 'uri://ed-fi.org/CTEProgramServiceDescriptor',
      },
    ]);
  });

  it('says which descriptors it added', async () => {
    const { notices, documents } = await readAll(fixtures);
    expect(notices).toEqual([expect.stringMatching(/^3 descriptors were added.*#Holiday \(Calendar\.xml:19\)/)]);
    expect(documents[0]?.resource).toMatch(/Descriptors$/);
  });

  it('reads text that is cut anywhere by the chunks of a file', async () => {
    const many = Array.from(
      { length: 3000 },
      (_, i) =>
        `<LearningStandard><LearningStandardId>${i}</LearningStandardId><Description>${'学ö&amp;'.repeat(i % 70)}</Description></LearningStandard>`,
    );
    const { documents } = await readAll(await folderWith({ 'a.xml': interchange(many.join('\n')) }));
    expect(documents).toHaveLength(3000);
    expect(documents[2069]?.body.description).toBe('学ö&'.repeat(2069 % 70));
  });

  it('tells how many documents there are ahead of the first', async () => {
    const counts: number[] = [];
    const reader = readEdFiFolder(fixtures, { onIndexed: (documents) => counts.push(documents) });
    await reader.next();
    expect(counts).toEqual([(await readAll(fixtures)).documents.length]);
    await reader.return(undefined);
  });

  it('follows refs to elements that have refs, in both directions', async () => {
    const element = (id: number, ref: number | null): string =>
      `<LearningStandard id="L${id}"><LearningStandardId>${id}</LearningStandardId>${ref === null ? '' : `<ParentLearningStandardReference ref="L${ref}"/>`}</LearningStandard>`;
    const elements = [element(0, 1), element(1, 4), element(2, null), element(3, 2), element(4, 3), element(5, 4)];
    const { documents } = await readAll(await folderWith({ 'a.xml': interchange(elements.join('\n')) }));
    expect(problemsOf(documents)).toEqual([]);
    expect(documents.map(({ body }) => body.learningStandardId)).toEqual(['2', '3', '4', '5', '1', '0']);
    expect(documents.at(-1)?.body.parentLearningStandardReference).toEqual({ learningStandardId: '1' });
  });

  it('follows references that look forward in a long row', async () => {
    const chain = Array.from({ length: 6 }, (_, i) => {
      const parent = `<ParentLearningStandardReference><LearningStandardIdentity><LearningStandardId>${i + 1}</LearningStandardId></LearningStandardIdentity></ParentLearningStandardReference>`;
      return `<LearningStandard><LearningStandardId>${i}</LearningStandardId>${i < 5 ? parent : ''}</LearningStandard>`;
    });
    const { documents } = await readAll(await folderWith({ 'a.xml': interchange(chain.join('\n')) }));
    expect(documents.map(({ body }) => body.learningStandardId)).toEqual(['5', '4', '3', '2', '1', '0']);
  });
});

describe('the folder of a small district', () => {
  const read = () => readAll(fileURLToPath(new URL('../../fixtures/edfi-district', import.meta.url)));

  it('comes out with what is referred to first', async () => {
    const { documents, notices } = await read();
    expect(problemsOf(documents)).toEqual([]);
    expect(notices).toEqual([expect.stringMatching(/^15 descriptors were added/)]);
    expect(countByResource(documents)).toMatchObject({ sections: 1, staffs: 1, students: 1, parents: 1, contacts: 1 });
  });

  it('becomes JSON by the conventions of Ed-Fi', async () => {
    const { documents } = await read();
    const bodyOf = (resource: string) => documents.find((each) => each.resource === resource)?.body;
    const uri = (kind: string, code: string): string => `uri://ed-fi.org/${kind}Descriptor#${code}`;
    const section = {
      sectionIdentifier: 'ALG-1-A',
      localCourseCode: 'ALG-1',
      schoolId: 7,
      schoolYear: 2026,
      sessionName: 'Fall',
    };
    expect(bodyOf('sections')).toEqual({
      sectionIdentifier: 'ALG-1-A',
      sequenceOfCourse: 1,
      officialAttendancePeriod: true,
      courseOfferingReference: { localCourseCode: 'ALG-1', schoolId: 7, schoolYear: 2026, sessionName: 'Fall' },
      locationReference: { classroomIdentificationCode: '101', schoolId: 7 },
      classPeriods: [{ classPeriodReference: { classPeriodName: 'First hour', schoolId: 7 } }],
    });
    expect(bodyOf('students')).toEqual({
      studentUniqueId: 'S1',
      firstName: 'Wilna',
      lastSurname: 'Fernwick',
      birthDate: '2011-02-03',
      birthCity: 'Salt Flats',
      multipleBirthStatus: false,
      citizenshipStatusDescriptor: uri('CitizenshipStatus', 'US Citizen'),
    });
    expect(bodyOf('staffs')).toEqual({
      staffUniqueId: 'T1',
      identificationCodes: [
        {
          staffIdentificationSystemDescriptor: uri('StaffIdentificationSystem', 'District'),
          identificationCode: '0042',
        },
      ],
      firstName: 'Quinta',
      lastSurname: 'Rowanhurst',
      hispanicLatinoEthnicity: false,
      races: [{ raceDescriptor: uri('Race', 'Other') }],
      yearsOfPriorTeachingExperience: 12,
    });
    expect(bodyOf('studentEducationOrganizationAssociations')).toMatchObject({
      languages: [
        {
          languageDescriptor: uri('Language', 'eng'),
          uses: [{ languageUseDescriptor: uri('LanguageUse', 'Home language') }],
        },
      ],
      studentCharacteristics: [{ studentCharacteristicDescriptor: uri('StudentCharacteristic', 'Immigrant') }],
    });
    expect(bodyOf('studentSchoolAssociations')).toMatchObject({
      primarySchool: true,
      graduationPlanReference: { educationOrganizationId: 7, graduationSchoolYear: 2029 },
    });
    expect(bodyOf('staffEducationOrganizationEmploymentAssociations')).toMatchObject({
      hireDate: '2020-08-01',
      fullTimeEquivalency: 0.5,
    });
    expect(bodyOf('studentSectionAssociations')?.sectionReference).toEqual(section);
    expect(bodyOf('staffSectionAssociations')?.sectionReference).toEqual(section);
  });
});

describe('a generated district that is written as XML', () => {
  it.each(['grand-bend', 'southridge'] as const)('is read as it was: %s', async (template) => {
    const written = [...generateTemplate({ template, documents: 2500, seed: 3 })];
    const folder = await folderWith({});
    writeEdFiFolder(folder, written);
    const { documents, notices } = await readAll(folder);
    expect(notices).toEqual([]);
    // Schools stand behind their calendars, students behind their parents: the order is another, and as good.
    expect(problemsOf(documents)).toEqual([]);
    const textsOf = (each: Document[]): string[] =>
      each.map(({ resource, body }) => `${resource} ${canonicalJson(body)}`).sort();
    expect(textsOf(documents)).toEqual(textsOf(written));
  });
});

describe('bad data', () => {
  const school = '<School id="S"><SchoolId>1</SchoolId></School>';
  const standard = (id: string, parent: string): string =>
    `<LearningStandard><LearningStandardId>${id}</LearningStandardId><ParentLearningStandardReference><LearningStandardIdentity><LearningStandardId>${parent}</LearningStandardId></LearningStandardIdentity></ParentLearningStandardReference></LearningStandard>`;
  const cases: [string, string, string][] = [
    [
      'a tag that is not closed',
      '<InterchangeX>\n  <School><SchoolId>1</School>',
      'a.xml:2:30: malformed XML: unexpected close tag',
    ],
    ['an end that is missing', '<InterchangeX>\n<School>', 'a.xml:2:8: malformed XML: unclosed tag'],
    ['an empty file', '', 'a.xml:1:1: malformed XML'],
    ['an entity of the file', '<!DOCTYPE x [<!ENTITY y "z">]><InterchangeX>&y;</InterchangeX>', 'undefined entity'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><InterchangeX/>', 'the encoding is ISO-8859-1'],
    ['no interchange', '<schema/>', 'a.xml:1:1: expected an Ed-Fi interchange'],
    ['an unknown element', interchange('  <Unicorn/>'), 'a.xml:2:3: unknown element <Unicorn>'],
    ['a name that is not of Ed-Fi', interchange('<School><__proto__/></School>'), 'a.xml:2:9: <__proto__>'],
    ['a strange attribute', interchange('<School color="red"/>'), "a.xml:2:1: <School> has an attribute 'color'"],
    ['text and elements', interchange('<School>text<SchoolId>1</SchoolId></School>'), 'has both text and elements'],
    ['text between documents', interchange('text'), 'there is text between the elements'],
    [
      'a natural key that is missing',
      interchange('<School/>'),
      'a.xml:2:1: <School>: /schoolId: expected a whole number',
    ],
    [
      'a number that is none',
      interchange('<School><SchoolId>x</SchoolId></School>'),
      "a.xml:2:9: <SchoolId>: expected a number, found 'x'",
    ],
    [
      'a school year of two years',
      interchange('<Session><SchoolYear>2021-2023</SchoolYear></Session>'),
      'expected a school year',
    ],
    [
      'a ref to nothing',
      interchange(
        '<LocalEducationAgency><LocalEducationAgencyId>1</LocalEducationAgencyId>\n<EducationServiceCenterReference ref="E"/></LocalEducationAgency>',
      ),
      'a.xml:3:1: <EducationServiceCenterReference>: no element of this file has id="E"',
    ],
    [
      'a ref to something else',
      interchange(`${school}<CalendarDate><Date>x</Date><CalendarReference ref="S"/></CalendarDate>`),
      'refers by "S" to a School, expected a Calendar',
    ],
    ['an id twice', interchange(`${school}\n${school}`), 'a.xml:3:1: id="S" is at line 2 already'],
    [
      'refs in a circle',
      interchange(
        '<LearningStandard id="A"><LearningStandardId>1</LearningStandardId><ParentLearningStandardReference ref="A"/></LearningStandard>',
      ),
      'waits for it in a circle',
    ],
    [
      'a natural key twice',
      interchange('<School><SchoolId>1</SchoolId></School>\n<School><SchoolId>1</SchoolId></School>'),
      'a.xml:3:1: a document with the same natural key is at a.xml:2:1 already',
    ],
    [
      'an organization id twice',
      interchange(
        `${school}\n<LocalEducationAgency><LocalEducationAgencyId>1</LocalEducationAgencyId></LocalEducationAgency>`,
      ),
      'the same education organization id',
    ],
    [
      'a reference to nothing',
      interchange(standard('1', '2')),
      'a.xml:2:1: refers to a LearningStandard that is in no file: {"learningStandardId":"2"}',
    ],
    [
      'references in a circle',
      interchange(`${standard('1', '2')}\n${standard('2', '1')}`),
      'a.xml:3:1: refers to the document at a.xml:2, which needs this one first',
    ],
    [
      'a lookup',
      interchange('<Location><SchoolReference><SchoolLookup/></SchoolReference></Location>'),
      'a.xml:2:11: <SchoolReference>: expected one <...Identity>',
    ],
    ['no document', interchange(''), 'There are no documents'],
  ];
  it.each(cases)('%s: the error says where', async (_, content, message) => {
    const error = await errorOf(content);
    expect(error.message).toContain(message);
  });

  it('names both files where a key is in two, and the file of a circle through two', async () => {
    const twice = await folderWith({
      'a.xml': interchange(standard('9', '8')),
      'b.xml': interchange(`${standard('8', '7')}\n${standard('7', '7a')}`),
      'c.xml': interchange('\n  <LearningStandard><LearningStandardId>8</LearningStandardId></LearningStandard>'),
    });
    await expect(readAll(twice)).rejects.toThrow('c.xml:3:3: a document with the same natural key is at b.xml:2:1');
    const missing = await folderWith({
      'a.xml': interchange(standard('9', '8')),
      'b.xml': interchange(`${standard('8', '9a')}`),
    });
    await expect(readAll(missing)).rejects.toThrow('b.xml:2:1: refers to a LearningStandard that is in no file');
    const circle = await folderWith({
      'a.xml': interchange(standard('9', '8')),
      'b.xml': interchange(`\n${standard('8', '9')}`),
    });
    await expect(readAll(circle)).rejects.toThrow('b.xml:3:1: refers to the document at a.xml:2, which needs this one');
  });

  it('is found with refs in between: the later of two elements is named', async () => {
    const content = interchange(
      `<LearningStandard><LearningStandardId>1</LearningStandardId><ParentLearningStandardReference ref="X"/></LearningStandard>\n<LearningStandard id="X"><LearningStandardId>2</LearningStandardId></LearningStandard>\n<LearningStandard><LearningStandardId>1</LearningStandardId></LearningStandard>`,
    );
    expect((await errorOf(content)).message).toBe(
      'a.xml:4:1: a document with the same natural key is at a.xml:2:1 already',
    );
  });

  it('that is not UTF-8 is an error', async () => {
    expect((await errorOf(Buffer.from(interchange('<School>é</School>'), 'latin1'))).message).toContain('is not UTF-8');
  });

  it('is a folder that is missing, or has no XML in it', async () => {
    const missing = readAll('/nowhere/at/all');
    await expect(missing).rejects.toMatchObject({ message: expect.stringContaining('/nowhere') });
    const empty = readAll(await folderWith({ 'README.md': '' }));
    await expect(empty).rejects.toMatchObject({ message: expect.stringContaining('no .xml file') });
  });

  it('comes to light before the first document', async () => {
    const folder = await folderWith({ 'a.xml': interchange(school), 'b.xml': interchange('<Unicorn/>') });
    await expect(readEdFiFolder(folder).next()).rejects.toThrow('b.xml:2:1: unknown element <Unicorn>');
  });
});

describe("Ed-Fi's partial Grand Bend", grandBend.orSkip, () => {
  it('is read whole, in dependency order', async () => {
    const { documents, notices } = await readAll(grandBend.has);
    expect(problemsOf(documents)).toEqual([]);
    // 3,298 of the files, and 4 of Grand Bend's own namespace that the folder leaves out.
    expect(notices).toEqual([expect.stringMatching(/^4 descriptors were added/)]);
    expect(countByResource(documents)).toEqual({
      descriptors: 3298 + 4,
      learningStandards: 5597,
      courses: 84,
      locations: 56,
      programs: 25,
      classPeriods: 21,
      gradingPeriods: 18,
      sessions: 6,
      accountabilityRatings: 4,
      learningStandardEquivalenceAssociations: 4,
      schools: 3,
      calendarDates: 2,
      calendars: 1,
      educationServiceCenters: 1,
      localEducationAgencies: 1,
      communityOrganizations: 1,
      communityProviders: 1,
      communityProviderLicenses: 1,
      postSecondaryInstitutions: 1,
      organizationDepartments: 1,
    });
    expect(documents).toHaveLength(9130);
  });
});
