import { describe, expect, it } from 'vitest';
import { camelCase, endpointOf, plural } from '../../../scenarios/services/documents/dataset/edfi-names.ts';
import { canonicalJson, createFingerprint } from '../../../scenarios/services/documents/dataset/fingerprint.ts';
import type { Document } from '../../../scenarios/services/documents/dataset/types.ts';

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
