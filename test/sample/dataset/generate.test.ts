import { describe, expect, it } from 'vitest';
import { createFingerprint } from '../../../scenarios/services/documents/dataset/fingerprint.ts';
import { generatePartialGrandBend } from '../../../scenarios/services/documents/dataset/templates/partial-grand-bend/generate.ts';
import { DatasetError } from '../../../scenarios/services/documents/errors.ts';
import { countByResource, problemsOf } from './checks.ts';

function fingerprintOf(documents: number, seed: number): string {
  const fingerprint = createFingerprint();
  for (const document of generatePartialGrandBend({ documents, seed })) fingerprint.add(document);
  return fingerprint.finish();
}

describe('the generator', () => {
  // Each size that the smallest and the usual scenarios ask for, and odd ones between, where rounding could lose one.
  it.each([110, 111, 127, 300, 555, 1000, 1999, 2000, 5000, 9090, 20_011])(
    'gives exactly %i documents, in order',
    (documents) => {
      const all = [...generatePartialGrandBend({ documents, seed: 7 })];
      expect(all).toHaveLength(documents);
      expect(problemsOf(all)).toEqual([]);
    },
  );

  it('gives the same documents for a seed in every version', () => {
    expect(fingerprintOf(2000, 1)).toBe('1c30082beaf8a086445f66d01ba53924235999626f78733c8c8a3b4b0f417d30');
    expect(fingerprintOf(2000, 2)).not.toBe(fingerprintOf(2000, 1));
  });

  it('can be gone through twice', () => {
    const documents = generatePartialGrandBend({ documents: 200, seed: 1 });
    expect([...documents]).toEqual([...documents]);
  });

  it('has the proportions of the Ed-Fi template', () => {
    const counts = countByResource(generatePartialGrandBend({ documents: 9090, seed: 1 }));
    expect(counts).toMatchObject({ descriptors: 3290, courses: 84, locations: 56, programs: 25, classPeriods: 21 });
    expect(counts).toMatchObject({ gradingPeriods: 18, sessions: 6, calendars: 1, calendarDates: 2 });
    expect(counts.learningStandards).toBeGreaterThan(5400);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0) - 3290).toBe(5800);
  });

  it('has dozens of schools in a small data set, as large as real ones', () => {
    const all = [...generatePartialGrandBend({ documents: 2000, seed: 1 })];
    const schools = all.filter(({ resource }) => resource === 'schools');
    expect(schools).toHaveLength(36);
    // The template's are 2,562 to 2,717 bytes of JSON.
    for (const { body } of schools) {
      expect(JSON.stringify(body).length).toBeGreaterThan(2300);
      expect(JSON.stringify(body).length).toBeLessThan(2900);
    }
  });

  it.each([0, 109, -1, 200.5, Number.NaN])('refuses %d documents and names the minimum', (documents) => {
    const act = () => generatePartialGrandBend({ documents, seed: 1 });
    expect(act).toThrow(DatasetError);
    expect(act).toThrow(expect.objectContaining({ hint: expect.stringContaining('at least 110') }));
  });
});
