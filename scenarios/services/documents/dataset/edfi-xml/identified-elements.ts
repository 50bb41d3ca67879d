import type { JsonObject } from '../../model/document.ts';
import type { Resource } from '../../model/lookup.ts';
import { KeyTable } from './key-table.ts';
import type { Identified, IdentifiedById } from './to-reference.ts';

interface Stored {
  readonly resource: Resource;
  /** As JSON: a parsed text would keep the whole chunk of the file alive that it was cut from. */
  readonly identity: string;
}

/** The natural keys of a file's elements that a `ref` means, and of no others. */
export class IdentifiedElements implements IdentifiedById {
  private readonly wanted = new KeyTable();
  private readonly stored: (Stored | undefined)[] = [];

  /** From now on the element of this id is to be kept. */
  want(id: string): void {
    this.wanted.add(id);
  }

  /** True if a `ref` means the element of this id, which was not put yet. */
  lacks(id: string): boolean {
    const number = this.wanted.find(id);
    return number >= 0 && !this.stored[number];
  }

  put(id: string, resource: Resource, identity: JsonObject): void {
    this.stored[this.wanted.add(id)] = { resource, identity: JSON.stringify(identity) };
  }

  has(id: string): boolean {
    return this.stored[this.wanted.find(id)] !== undefined;
  }

  get(id: string): Identified | undefined {
    const found = this.stored[this.wanted.find(id)];
    return found && { resource: found.resource, identity: JSON.parse(found.identity) as JsonObject };
  }
}
