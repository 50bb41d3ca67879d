import { describe, expect, it } from 'vitest';
import { camelCase, endpointOf, plural } from '../../../src/sample/dataset/edfi-names.ts';
import { createExamples } from '../../../src/sample/dataset/examples.ts';
import { canonicalJson, createFingerprint } from '../../../src/sample/dataset/fingerprint.ts';
import type { Document } from '../../../src/sample/dataset/types.ts';

const one: Document = { resource: 'schools', body: { schoolId: 1, a: { c: [1, null, 'x'], b: true } } };
const two: Document = { resource: 'schools', body: { schoolId: 2 } };

function fingerprintOf(...documents: Document[]): string {
  const fingerprint = createFingerprint();
  for (const document of documents) fingerprint.add(document);
  return fingerprint.finish();
}

describe('the fingerprint', () => {
  it('is the same for another order of keys', () => {
    const turned: Document = { resource: 'schools', body: { a: { b: true, c: [1, null, 'x'] }, schoolId: 1 } };
    expect(fingerprintOf(turned)).toBe(fingerprintOf(one));
    expect(canonicalJson(turned.body)).toBe('{"a":{"b":true,"c":[1,null,"x"]},"schoolId":1}');
  });

  it('is another one for another order, resource or value', () => {
    const others = [fingerprintOf(one, two), fingerprintOf(two, one), fingerprintOf(one), fingerprintOf(two)];
    expect(new Set([...others, fingerprintOf({ ...two, resource: 'x' })]).size).toBe(5);
  });
});

describe('examples', () => {
  it.each([1, 199, 200, 201, 401, 5000])('of %i documents are spread evenly', (count) => {
    const examples = createExamples();
    for (let schoolId = 0; schoolId < count; schoolId++)
      examples.add({ resource: 'schools', body: { schoolId } }, false);
    const kept = examples.list().map(({ body }) => Number(body.schoolId));
    expect(kept.length).toBeLessThanOrEqual(200);
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, 100));
    const stride = (kept[1] ?? 1) - (kept[0] ?? 0);
    expect(kept).toEqual(kept.map((_, index) => index * stride));
    expect(count - 1 - (kept.at(-1) ?? 0)).toBeLessThan(stride);
  });

  it('have all descriptors on one shelf', () => {
    const examples = createExamples();
    for (let i = 0; i < 1000; i++) examples.add({ resource: `x${i}Descriptors`, body: {} }, true);
    examples.add(one, false);
    expect(examples.list().filter(({ resource }) => resource === 'schools')).toEqual([one]);
    expect(examples.list().length).toBeLessThanOrEqual(51);
  });
});

describe('Ed-Fi names', () => {
  it('become keys and endpoints', () => {
    const names = ['School', 'CTEProgramService', 'IDEAPart', 'TitleIPartA', 'CourseGPAApplicability', 'URL'];
    expect(names.map(camelCase)).toEqual([
      'school',
      'cteProgramService',
      'ideaPart',
      'titleIPartA',
      'courseGPAApplicability',
      'url',
    ]);
    expect(['address', 'agency', 'day', 'school', 'branch'].map(plural)).toEqual([
      'addresses',
      'agencies',
      'days',
      'schools',
      'branches',
    ]);
    expect(endpointOf('LocalEducationAgency')).toBe('localEducationAgencies');
  });
});
