import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** In YAML. */
export interface Changes {
  /** What the variant has that is not the control. */
  readonly variant?: string;
  readonly more?: string;
}

/** Writes a short scenario of the fixture's service to a folder, and returns its file. */
export function shortScenario(folder: string, name: string, { variant = '{}', more = '' }: Changes): string {
  const fixtures = resolve('test/fixtures/services');
  const file = join(folder, `${name}.yaml`);
  writeFileSync(
    file,
    `title: ${name}
target: { command: node ${fixtures}/items.mjs }
dataset: { sql: ["${fixtures}/schema.sql"] }
variants: { Control: {}, Other: ${variant} }
control: Control
load: { connections: 2, slice: 500ms, drop: 100ms, warmup: 300ms, requests: [{ path: /items }] }
rounds: { min: 1, max: 1 }
${more}
`,
  );
  return file;
}
