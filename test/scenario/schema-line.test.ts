import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { schemaFile, schemaLine } from '../../src/scenario/schema-file.ts';

const schemaOf = (line: string): string => /^# yaml-language-server: \$schema=(\S+)$/.exec(line)?.[1] ?? '';

it('the schema is part of what is installed', () => {
  expect(existsSync(schemaFile)).toBe(true);
});

it.each(['pgsweep.yaml', 'bench/mine.yaml'])(
  'in the project of this installation, %s has a path of its own',
  (file) => {
    const schema = schemaOf(schemaLine(file, process.cwd()));
    expect(schema).not.toContain(':');
    expect(resolve(dirname(file), schema)).toBe(schemaFile);
  },
);

it('elsewhere, as after a global install, it has the address of the installation', () => {
  const schema = schemaOf(schemaLine('/elsewhere/pgsweep.yaml', '/elsewhere'));
  expect(fileURLToPath(schema)).toBe(schemaFile);
});
