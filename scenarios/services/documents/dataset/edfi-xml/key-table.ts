/**
 * Numbers texts in order of first appearance, without keeping them: 64 bits of each are remembered, 14 to 22 bytes in
 * all. Among 10 million texts, two are taken for one with a probability of 3 in a million (n * n / 2^65).
 */
export class KeyTable {
  /** Open addressing: a slot holds a key's number + 1, or 0 where it is free. The size is a power of 2. */
  private slots = new Uint32Array(2048);
  private high = new Uint32Array(1024);
  private low = new Uint32Array(1024);
  size = 0;
  /** The halves of the hash of the text that is being looked for: fields, so that no lookup allocates anything. */
  private wantedHigh = 0;
  private wantedLow = 0;

  /** The number of a text, a new one where it has not been seen: then it equals what `size` was. */
  add(text: string): number {
    const slot = this.slotOf(text);
    const known = this.slots[slot] ?? 0;
    if (known > 0) return known - 1;
    const number = this.size++;
    this.slots[slot] = number + 1;
    this.high[number] = this.wantedHigh;
    this.low[number] = this.wantedLow;
    if (this.size === this.high.length) this.enlarge();
    // A third of the slots stays free, or runs of full ones would be long.
    if (this.size * 3 > this.slots.length * 2) this.spread();
    return number;
  }

  /** The number of a text, -1 where it has not been seen. */
  find(text: string): number {
    return (this.slots[this.slotOf(text)] ?? 0) - 1;
  }

  private slotOf(text: string): number {
    this.hash(text);
    const mask = this.slots.length - 1;
    let slot = this.wantedLow & mask;
    for (let known = this.slots[slot] ?? 0; known > 0; known = this.slots[slot] ?? 0) {
      if (this.low[known - 1] === this.wantedLow && this.high[known - 1] === this.wantedHigh) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Two lanes of multiply and rotate with different odd factors, each stirred into the other at the end. */
  private hash(text: string): void {
    let a = 0x2545f491;
    let b = 0x6c078965;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(((a << 7) | (a >>> 25)) ^ code, 0x9e3779b1);
      b = Math.imul(((b << 13) | (b >>> 19)) ^ code, 0x7feb352d);
    }
    a = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d);
    b = Math.imul(b ^ (a >>> 13), 0x297a2d39);
    this.wantedHigh = (a ^ (b >>> 16)) >>> 0;
    this.wantedLow = (b ^ (this.wantedHigh >>> 16)) >>> 0;
  }

  private enlarge(): void {
    this.high = enlarged(this.high);
    this.low = enlarged(this.low);
  }

  private spread(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = (this.low[number] ?? 0) & mask;
      while ((this.slots[slot] ?? 0) > 0) slot = (slot + 1) & mask;
      this.slots[slot] = number + 1;
    }
  }
}

function enlarged(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.ceil(numbers.length * 1.25));
  larger.set(numbers);
  return larger;
}
