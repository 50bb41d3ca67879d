/** Runs each piece of work once the one before it has ended, however that ended. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** For what can do one thing at a time, such as a connection to a database, and is asked by several at once. */
export function createInTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
