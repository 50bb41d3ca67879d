import { createRandom } from '../../../random.ts';
import type { Document } from '../../types.ts';
import { uri } from './descriptor-codes.ts';
import { firstName } from './names.ts';
import { electronicMail, householdOf, telephoneNumber } from './personal-details.ts';
import { contactsOf, contactsPerFamily, type DistrictPlan, familySize } from './plan.ts';
import { householdSeedOf, studentIdOf } from './students.ts';

/** The contacts of every family, then who is whose contact. `studentSeed` is the one that the students were made with. */
export function* generateContacts(plan: DistrictPlan, seed: number, studentSeed: number): Iterable<Document> {
  const random = createRandom(seed);
  for (let i = 0; i < contactsOf(plan.students); i++) {
    const family = Math.floor(i / contactsPerFamily);
    const { lastSurname, address } = householdOf(householdSeedOf(family * familySize, studentSeed));
    const first = firstName(random);
    const body = {
      contactUniqueId: contactIdOf(i),
      personalTitlePrefix: isMother(i) ? 'Ms' : 'Mr',
      firstName: first,
      lastSurname,
      sexDescriptor: uri('Sex', isMother(i) ? 'Female' : 'Male'),
      addresses: [address],
      electronicMails: [electronicMail('Home/Personal', first, lastSurname, contactIdOf(i))],
      telephones: [
        {
          telephoneNumberTypeDescriptor: uri('TelephoneNumberType', 'Mobile'),
          telephoneNumber: telephoneNumber(random),
        },
      ],
    };
    yield { resource: 'contacts', body };
  }
  for (let i = 0; i < plan.students; i++) {
    for (let turn = 0; turn < contactsPerFamily; turn++) yield relation(i, turn);
  }
}

function contactIdOf(index: number): string {
  return String(40_000_001 + index);
}

function isMother(contact: number): boolean {
  return contact % contactsPerFamily === 0;
}

function relation(student: number, turn: number): Document {
  const contact = Math.floor(student / familySize) * contactsPerFamily + turn;
  const body = {
    contactReference: { contactUniqueId: contactIdOf(contact) },
    studentReference: { studentUniqueId: studentIdOf(student) },
    relationDescriptor: uri('Relation', isMother(contact) ? 'Mother' : 'Father'),
    primaryContactStatus: turn === 0,
    emergencyContactStatus: true,
    livesWith: true,
    contactPriority: turn + 1,
  };
  return { resource: 'studentContactAssociations', body };
}
