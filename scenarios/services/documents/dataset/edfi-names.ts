/**
 * An Ed-Fi name as a JSON key: `NameOfInstitution` is `nameOfInstitution`, and an acronym in front goes down as a
 * whole, so `CTEProgramService` is `cteProgramService`.
 */
export function camelCase(name: string): string {
  const acronym = /^[A-Z]+(?=[A-Z][a-z]|$)/.exec(name)?.[0] ?? name.charAt(0);
  return acronym.toLowerCase() + name.slice(acronym.length);
}

/** The plural by which Ed-Fi names endpoints and arrays: `schools`, `localEducationAgencies`, `addresses`. */
export function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return `${name}s`;
}

/** The endpoint of a resource: `LocalEducationAgency` is at `localEducationAgencies`. */
export function endpointOf(resourceName: string): string {
  return plural(camelCase(resourceName));
}

/** The URI by which documents refer to a descriptor of Ed-Fi's own namespace. */
export function descriptorUri(kind: string, codeValue: string): string {
  return `uri://ed-fi.org/${kind}Descriptor#${codeValue}`;
}
