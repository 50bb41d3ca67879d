/** Pattern for names of services under one target: their variables and values are named after them. */
export const SERVICE_NAME = /^[a-z][a-z0-9-]*$/;

/** The beginning of the variables that tell the other services where one is: `API` of `api`. */
function variablePrefix(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** `API_URL` and `API_PORT` of each service, all of which are on this machine. */
export function addressVariables(
  services: readonly { readonly name: string; readonly port: number }[],
): Record<string, string> {
  return Object.fromEntries(
    services.flatMap(({ name, port }) => [
      [`${variablePrefix(name)}_URL`, `http://127.0.0.1:${port}`],
      [`${variablePrefix(name)}_PORT`, String(port)],
    ]),
  );
}
