/** A list of whole numbers of 32 bits, at 4 bytes each and not at what an array of a language with boxes needs. */
export class NumberList {
  private items: Int32Array;
  length = 0;

  constructor(capacity = 1024) {
    this.items = new Int32Array(capacity);
  }

  push(value: number): void {
    this.set(this.length, value);
  }

  /** The number at an index, 0 where none was put. */
  at(index: number): number {
    return index < this.length ? (this.items[index] ?? 0) : 0;
  }

  /** Puts a number at any index; the list becomes as long as that needs, with zeros in between. */
  set(index: number, value: number): void {
    if (index >= this.items.length) {
      const larger = new Int32Array(Math.max(index + 1, Math.ceil(this.items.length * 1.5)));
      larger.set(this.items);
      this.items = larger;
    }
    this.items[index] = value;
    if (index >= this.length) this.length = index + 1;
  }
}
