import { describe, expect, it } from 'vitest';
import { documentsOf, generateTemplate } from '../../../scenarios/services/documents/dataset/documents-of.ts';
import { createFingerprint } from '../../../scenarios/services/documents/dataset/fingerprint.ts';
import { templates } from '../../../scenarios/services/documents/dataset/templates/templates.ts';
import type { Document } from '../../../scenarios/services/documents/dataset/types.ts';
import { resourceEndpoints } from '../../../scenarios/services/documents/model/lookup.ts';
import { defaultTemplateDocuments, type TemplateName, templates as words } from '../../../src/journal/sample.ts';
import { countByResource, problemsOf } from './checks.ts';

const generate = (template: TemplateName, documents: number, seed = 1): Iterable<Document> =>
  generateTemplate({ template, documents, seed });

function fingerprintOf(documents: Iterable<Document>): string {
  const fingerprint = createFingerprint();
  for (const document of documents) fingerprint.add(document);
  return fingerprint.finish();
}

it('all templates have their word in a scenario', () => {
  expect(words).toEqual(templates);
});

const districts = [
  ['grand-bend', 272],
  ['southridge', 238],
] as const;

describe.each(districts)('the template %s', (template, minimum) => {
  // The smallest, and odd sizes on both sides of the one from which there are no more descriptors.
  it.each([minimum, minimum + 1, 333, 1000, 2999, 7001, 20_000, 33_333])(
    'gives exactly %i documents, each after what it refers to',
    (documents) => {
      const all = [...generate(template, documents, 7)];
      expect(all).toHaveLength(documents);
      expect(problemsOf(all)).toEqual([]);
    },
  );

  it('can be gone through twice, and is another one for another seed', () => {
    const documents = generate(template, 3000);
    expect(fingerprintOf(documents)).toBe(fingerprintOf(documents));
    expect(fingerprintOf(generate(template, 3000, 2))).not.toBe(fingerprintOf(documents));
  });

  it('lets no student sit in a section twice, nor a room be taken twice in a period', () => {
    const all = [...generate(template, 5000)];
    const bodies = (resource: string) => all.filter((each) => each.resource === resource).map(({ body }) => body);
    const sections = bodies('sections').map(({ classPeriods, locationReference, courseOfferingReference }) =>
      JSON.stringify([classPeriods, locationReference, (courseOfferingReference as { schoolId: number }).schoolId]),
    );
    expect(new Set(sections).size).toBe(sections.length);
    const enrolments = bodies('studentSectionAssociations').map((body) =>
      JSON.stringify([body.studentReference, body.sectionReference]),
    );
    expect(new Set(enrolments).size).toBe(enrolments.length);
  });

  it('refuses fewer documents than it can be made of', () => {
    expect(() => generate(template, minimum - 1)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`at least ${minimum}`) }),
    );
    for (const documents of [0, -1, 2000.5, Number.NaN]) expect(() => generate(template, documents)).toThrow();
  });
});

describe('the templates', () => {
  it('give the same documents for a seed in every version', () => {
    expect(fingerprintOf(generate('partial-grand-bend', 2000))).toBe(
      '1c30082beaf8a086445f66d01ba53924235999626f78733c8c8a3b4b0f417d30',
    );
    expect(fingerprintOf(generate('grand-bend', 3000))).toBe(
      'e0e23001d4cbae6601fd969c254e99c1a854fea66be863e372c29c8188ceac16',
    );
    expect(fingerprintOf(generate('southridge', 3000))).toBe(
      '81b26441a1094aa2d121d05afa70283d83f56973cefb20e7bb42c1422456e54f',
    );
  });

  it('have the size of their districts where the scenario names none', () => {
    const grandBend = countByResource(generate('grand-bend', defaultTemplateDocuments['grand-bend']));
    expect(grandBend).toMatchObject({ descriptors: 3290, schools: 36, sections: 252, students: 827, staffs: 72 });
    const southridge = countByResource(generate('southridge', defaultTemplateDocuments.southridge));
    expect(southridge).toMatchObject({ descriptors: 3290, schools: 36, sections: 2016, students: 5955, staffs: 396 });
    expect(southridge.studentSectionAssociations).toBe(5955 * 8);
  });

  it('have every resource that the service knows, but those that their standard calls by another name', () => {
    const others = ['bellSchedules', 'parents', 'studentParentAssociations', 'graduationPlans'];
    others.push('studentEducationOrganizationResponsibilityAssociations');
    const counts = countByResource(generate('grand-bend', 1000));
    expect([...Object.keys(counts), ...others].sort()).toEqual(['descriptors', ...resourceEndpoints].sort());
  });
});

it('a data set says how many documents it has, whichever it is', () => {
  const counts: number[] = [];
  const spec = { template: 'grand-bend', documents: 321, seed: 1 } as const;
  const documents = documentsOf(spec, { onIndexed: (count) => counts.push(count) });
  expect(counts).toEqual([321]);
  expect([...(documents as Iterable<Document>)]).toEqual([...generate('grand-bend', 321)]);
});
