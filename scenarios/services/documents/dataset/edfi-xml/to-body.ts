import type { JsonObject, JsonValue } from '../../model/document.ts';
import { camelCase } from '../edfi-names.ts';
import { type IdentifiedById, referenceOf } from './to-reference.ts';
import { isSchoolYear, singleValueOf } from './values.ts';
import { collectionKey, isInlined } from './vocabulary.ts';
import { errorAt, type XmlElement } from './xml-element.ts';

/**
 * Turns an Ed-Fi XML element into the JSON body that an Ed-Fi API takes, by its naming conventions: keys in camel case,
 * collections as arrays of objects, references flat, descriptors as URIs under keys that end in `Descriptor`.
 * Whatever is in the element is in the body: a name that has not been seen before is mapped like any other.
 */
export function bodyOf(element: XmlElement, identified: IdentifiedById): JsonObject {
  const body: JsonObject = {};
  for (const [name, sameName] of groupByName(element.children)) {
    const [first] = sameName;
    if (!first) continue;
    const arrayKey = collectionKey(element.name, name, sameName.length);
    if (arrayKey !== null) {
      put(
        body,
        arrayKey,
        sameName.map((each) => collectionItem(each, identified)),
        first,
      );
    } else if (isInlined(element.name, name)) {
      for (const [key, value] of Object.entries(bodyOf(first, identified))) put(body, key, value, first);
    } else {
      const { key, value } = memberOf(first, identified);
      put(body, key, value, first);
    }
  }
  return body;
}

function groupByName(elements: readonly XmlElement[]): Map<string, XmlElement[]> {
  const groups = new Map<string, XmlElement[]>();
  for (const element of elements) {
    const group = groups.get(element.name);
    if (group) group.push(element);
    else groups.set(element.name, [element]);
  }
  return groups;
}

/** In JSON every item of a collection is an object, also where it has a single value. */
function collectionItem(element: XmlElement, identified: IdentifiedById): JsonObject {
  if (element.children.length > 0 && !element.name.endsWith('Reference')) return bodyOf(element, identified);
  const { key, value } = memberOf(element, identified);
  return { [key]: value };
}

function memberOf(element: XmlElement, identified: IdentifiedById): { key: string; value: JsonValue } {
  const key = camelCase(element.name);
  if (element.name.endsWith('Reference')) return { key, value: referenceOf(element, identified) };
  if (element.children.length > 0) return { key, value: bodyOf(element, identified) };
  const single = singleValueOf(element);
  // In the XML a school year is a value, in JSON a reference to the enumeration of school years.
  if (!isSchoolYear(element)) return single;
  return { key: `${key}TypeReference`, value: { schoolYear: single.value } };
}

function put(body: JsonObject, key: string, value: JsonValue, element: XmlElement): void {
  if (Object.hasOwn(body, key)) throw errorAt(element.location, `<${element.name}>: there is a '${key}' already`);
  body[key] = value;
}
