/** Values of several objects under one key, which each may lack. */
type Under<Owners, Key extends string> = {
  [Name in keyof Owners]: Owners[Name] extends { readonly [Own in Key]: infer Value } ? Value : never;
}[keyof Owners];

/** The intersection of a union's members, by way of a function's argument: one that takes any of them must take all. */
type Together<Some> = (Some extends unknown ? (one: Some) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Objects that stand under one key in several owners, as one object: `merged({ a: { x: { n: 1 } }, b: {} }, 'x')` is `{ n: 1 }`. */
export function merged<const Owners extends Readonly<Record<string, object>>, Key extends string>(
  owners: Owners,
  key: Key,
): Together<Under<Owners, Key>> {
  return Object.assign({}, ...Object.values(owners).map((owner) => (owner as Readonly<Record<string, unknown>>)[key]));
}
