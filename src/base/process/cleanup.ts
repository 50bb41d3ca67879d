/** Work that must be undone at the end, whatever happens, in reverse order. */
export interface Cleanup {
  add(undo: () => Promise<unknown> | unknown): void;
  /** Runs all of it, and returns what went wrong: it must not hide the error that led here. */
  run(): Promise<unknown[]>;
}

export function createCleanup(): Cleanup {
  const undos: (() => Promise<unknown> | unknown)[] = [];
  return {
    add(undo) {
      undos.push(undo);
    },
    async run() {
      const errors: unknown[] = [];
      for (const undo of undos.splice(0).reverse()) {
        try {
          await undo();
        } catch (error) {
          errors.push(error);
        }
      }
      return errors;
    },
  };
}
