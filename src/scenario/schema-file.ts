import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The JSON Schema of the scenario language, wherever pgsweep is installed. */
export const schemaFile = fileURLToPath(new URL('../../scenarios/scenario.schema.json', import.meta.url));

/**
 * The comment by which editors find the schema of a scenario file: relative where pgsweep is installed in the same project,
 * so that it holds in every copy of that; else the address of this installation.
 */
export function schemaLine(file: string, project: string): string {
  const isOfProject = isWithin(project, schemaFile) && isWithin(project, resolve(file));
  const path = relative(dirname(resolve(file)), schemaFile).replaceAll('\\', '/');
  return `# yaml-language-server: $schema=${isOfProject ? path : pathToFileURL(schemaFile)}`;
}

function isWithin(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !path.startsWith('..') && !isAbsolute(path);
}
