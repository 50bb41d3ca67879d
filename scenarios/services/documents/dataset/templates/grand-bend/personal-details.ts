import type { JsonObject } from '../../../model/document.ts';
import { createRandom, type Random } from '../../../random.ts';
import { uri as organizationUri } from '../partial-grand-bend/descriptors.ts';
import { placeNames, streetNames } from '../partial-grand-bend/words.ts';
import { codesOf, uri } from './descriptor-codes.ts';
import { lastName } from './names.ts';

/** Details that people who live together share. */
export interface Household {
  lastSurname: string;
  address: JsonObject;
  telephoneNumber: string;
}

/** The household of a seed: the same one each time, so that neither children nor contacts need be kept for the other. */
export function householdOf(seed: number): Household {
  const random = createRandom(seed);
  const address = {
    addressTypeDescriptor: uri('AddressType', 'Home'),
    streetNumberName: `${random.integer(1, 9999)} ${random.pick(streetNames)} Street`,
    city: random.pick(placeNames),
    stateAbbreviationDescriptor: organizationUri('StateAbbreviation', 'TX'),
    postalCode: String(random.integer(73_001, 79_999)),
    nameOfCounty: 'Williston',
  };
  return { lastSurname: lastName(random), address, telephoneNumber: telephoneNumber(random) };
}

/** A number out of the air. */
export function telephoneNumber(random: Random): string {
  return `(${random.integer(200, 989)}) 555-${random.integer(1000, 9999)}`;
}

/** An unused address at a host that cannot exist. */
export function electronicMail(
  type: 'Home/Personal' | 'Organization',
  first: string,
  last: string,
  id: string,
): JsonObject {
  return {
    electronicMailTypeDescriptor: uri('ElectronicMailType', type),
    electronicMailAddress: `${first}.${last}.${id}@mail.example`.toLowerCase(),
    primaryEmailAddressIndicator: true,
  };
}

export function races(random: Random): JsonObject[] {
  return [{ raceDescriptor: uri('Race', random.pick(codesOf('Race'))) }];
}

/** A day in a year, never the 29th to 31st. */
export function dayIn(year: number, random: Random): string {
  const [month, day] = [random.integer(1, 12), random.integer(1, 28)];
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
