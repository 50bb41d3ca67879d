/** One of several processes that were started together, as people call it: a service by its name, an instance by its number. */
export interface NamedProcess {
  readonly name: string;
  readonly pid: number;
}
