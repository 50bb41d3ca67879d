import type { JsonObject } from '../../../model/document.ts';
import type { Random } from '../../../random.ts';
import { uri } from './descriptors.ts';
import { placeNames, streetNames } from './words.ts';

/** A name that does not come twice: the names in order, then numbered. */
export function numberedName(index: number, names: readonly string[]): string {
  const name = names[index % names.length] ?? '';
  return index < names.length ? name : `${name} ${Math.floor(index / names.length) + 1}`;
}

type Category = Parameters<typeof uri<'EducationOrganizationCategory'>>[1];

/** Kind of organization, as the array that Ed-Fi has for it. */
export function category(code: Category): JsonObject[] {
  return [{ educationOrganizationCategoryDescriptor: uri('EducationOrganizationCategory', code) }];
}

/** The kind of organization, and the code by which the state or NCES knows it. */
export function categoryAndCode(code: Category, system: 'NCES' | 'SEA', id: number): JsonObject {
  const systemUri = uri('EducationOrganizationIdentificationSystem', system);
  return {
    educationOrganizationCategories: category(code),
    identificationCodes: [
      { educationOrganizationIdentificationSystemDescriptor: systemUri, identificationCode: String(id) },
    ],
  };
}

/** Two addresses and two telephones: half of what a real school weighs. */
export function contact(random: Random): JsonObject {
  const city = random.pick(placeNames);
  const postalCode = String(random.integer(73_001, 79_999));
  const shared = { city, stateAbbreviationDescriptor: uri('StateAbbreviation', 'TX'), nameOfCounty: 'Williston' };
  return {
    addresses: [
      {
        addressTypeDescriptor: uri('AddressType', 'Physical'),
        streetNumberName: `${random.integer(1, 9999)} ${random.pick(streetNames)} Street`,
        postalCode,
        ...shared,
      },
      {
        addressTypeDescriptor: uri('AddressType', 'Mailing'),
        streetNumberName: `P.O. Box ${random.integer(100, 9999)}`,
        postalCode: `${postalCode}-${random.integer(1000, 9999)}`,
        ...shared,
      },
    ],
    institutionTelephones: [telephone('Main', random), telephone('Fax', random)],
  };
}

/** One telephone with a number out of the air. */
export function telephone(type: 'Main' | 'Fax', random: Random): JsonObject {
  return {
    institutionTelephoneNumberTypeDescriptor: uri('InstitutionTelephoneNumberType', type),
    telephoneNumber: `(${random.integer(200, 989)}) ${random.integer(200, 999)}-${random.integer(1000, 9999)}`,
  };
}
