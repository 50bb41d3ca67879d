import { camelCase } from '../edfi-names.ts';
import { typeOfKey } from './vocabulary.ts';
import { errorAt, type XmlElement } from './xml-element.ts';

/** A value with the key that JSON gives it. */
export interface KeyedValue {
  key: string;
  value: string | number | boolean;
}

/** A descriptor's value is its URI: `uri://ed-fi.org/TermDescriptor#Fall Semester`. */
const descriptorValue = /^uri:\/\/[^\s#]+Descriptor#./;

const schoolYear = /^(?:(\d{4})-)?(\d{4})$/;

/** The value of an element that has no elements in it. */
export function singleValueOf(element: XmlElement): KeyedValue {
  const { name, text } = element;
  const key = camelCase(name);
  if (descriptorValue.test(text)) {
    return { key: key.endsWith('Descriptor') ? key : `${key}Descriptor`, value: descriptorUriOf(text) };
  }
  if (isSchoolYear(element)) return { key, value: schoolYearOf(element) };
  const type = typeOfKey(key);
  if (type === 'number') return { key, value: numberOf(element) };
  if (type === 'boolean') return { key, value: booleanOf(element) };
  return { key, value: text };
}

/**
 * Descriptors are remembered by those who look them up, and a text that was cut out of a chunk of the file keeps the
 * whole chunk in memory. So each URI is copied once; the map is emptied when full, since files choose the URIs.
 */
const ownUris = new Map<string, string>();
const ownUrisMax = 10_000;

function descriptorUriOf(text: string): string {
  const known = ownUris.get(text);
  if (known !== undefined) return known;
  const own = Buffer.from(text).toString();
  if (ownUris.size >= ownUrisMax) ownUris.clear();
  ownUris.set(own, own);
  return own;
}

/** True for `SchoolYear`, also behind a role name: `GraduationSchoolYear`. */
export function isSchoolYear(element: XmlElement): boolean {
  return element.name.endsWith('SchoolYear');
}

/** XML has `2021-2022` where JSON has 2022, the year in which the school year ends. */
function schoolYearOf(element: XmlElement): number {
  const match = schoolYear.exec(element.text);
  const [, first, last] = match ?? [];
  if (!last || (first && Number(last) !== Number(first) + 1)) {
    throw errorAt(
      element.location,
      `<${element.name}>: expected a school year such as 2021-2022, found '${element.text}'`,
    );
  }
  return Number(last);
}

function numberOf(element: XmlElement): number {
  const value = Number(element.text);
  if (element.text !== '' && Number.isFinite(value)) return value;
  throw errorAt(element.location, `<${element.name}>: expected a number, found '${element.text}'`);
}

function booleanOf(element: XmlElement): boolean {
  if (element.text === 'true' || element.text === '1') return true;
  if (element.text === 'false' || element.text === '0') return false;
  throw errorAt(element.location, `<${element.name}>: expected true or false, found '${element.text}'`);
}
